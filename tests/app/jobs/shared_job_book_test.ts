/**
 * Jobs of administration over two nodes of one real database: either sees, cancels and refuses what the
 * other runs, and what a dead one ran has ended.
 *
 * @module
 */

import assert from "node:assert/strict";
import { isUnderWay, type Job, type JobStart } from "../../../src/admin/base/job.ts";
import { MOST_ENDED, MOST_RESULT_CHARACTERS } from "../../../src/admin/jobs/job_book.ts";
import { SharedJobBook } from "../../../src/app/jobs/shared_job_book.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { GatewayError } from "../../../src/errors.ts";
import type { SharedJobs, SharedJobStart } from "../../../src/storage/ports/shared_jobs.ts";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { cutLine } from "../../support/cutting_line.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until as untilSo } from "../../support/until.ts";

const server = postgresOfFile();
let databases = 0;

/** Work that goes on until it is cancelled. */
const ENDLESS: JobStart["run"] = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

function work(operation: string, run: JobStart["run"] = () => Promise.resolve({})): JobStart {
  const startedBy = { channel: "in_process", user: "anna", address: undefined } as const;
  return { operation, role: "viewer", input: {}, startedBy, run };
}

/** Two nodes, whose turns are as short as the database lets them be. */
async function scene() {
  const database = `jobs_${++databases}`;
  await server.create(database);
  const faults: string[] = [];
  const unwritten: string[] = [];
  async function open(node: string) {
    const storage = await openPostgresStorage({
      url: server.url(database),
      identity: { node, label: `node ${node}` },
    });
    const session = await storage.beginSession();
    const book = new SharedJobBook({
      clock: systemClock,
      jobs: storage.sharedJobs,
      onFault: (_id, error) => faults.push(String(error)),
      onUnwritten: (id) => unwritten.push(id),
      nextTurn: () => new Promise((resolve) => setTimeout(resolve, 5)),
    });
    return { storage, session, book };
  }
  const a = await open("a");
  const b = await open("b");
  return {
    a,
    b,
    faults,
    unwritten,
    ask: (sql: string) => server.ask(database, sql),
    async [Symbol.asyncDispose]() {
      for (const { book, storage } of [a, b]) {
        await book.stop();
        await storage.close();
      }
    },
  };
}

async function until(
  book: SharedJobBook,
  { id }: Pick<Job, "id">,
  holds: (job: Job) => boolean,
): Promise<Job> {
  for (;;) {
    const job = await book.find(id);
    if (job !== undefined && holds(job)) return job;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const hasEnded = (job: Job) => !isUnderWay(job);

Deno.test(
  "what one node runs the other one sees, with how far it is and what came of it",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    const done = Promise.withResolvers<unknown>();
    const begun = await at.a.book.start(work("ledger.verify", ({ onProgress }) => {
      onProgress({ step: "ledger", done: 3, total: 10 });
      return done.promise;
    }));
    const seen = await until(at.b.book, begun, ({ progress }) => progress !== undefined);
    assert.deepEqual(seen.progress, { step: "ledger", done: 3, total: 10 });
    assert.deepEqual([seen.state, seen.node, seen.startedBy.user], ["running", "node a", "anna"]);
    assert.equal((await at.b.book.start(work("ledger.verify", ENDLESS))).id, begun.id);
    await assert.rejects(
      at.b.book.start({ ...work("ledger.verify", ENDLESS), input: { other: 1 } }),
      (error: GatewayError) => error.code === "conflict" && error.message.includes(begun.id),
    );
    done.resolve({ rows: 10 });
    const ended = await until(at.b.book, begun, hasEnded);
    assert.deepEqual([ended.state, ended.result, ended.remainingMs], [
      "completed",
      { rows: 10 },
      undefined,
    ]);
    const [listed] = await at.b.book.list();
    assert.deepEqual(listed, { ...ended, result: undefined });
    assert.deepEqual(at.faults, []);
  },
);

Deno.test(
  "one node cancels what the other one runs: it is cancelling at once, and ends",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    const heard = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const begun = await at.a.book.start(work("backup.create", async ({ signal }) => {
      signal.addEventListener("abort", () => heard.resolve());
      await end.promise;
      signal.throwIfAborted();
    }));
    assert.equal((await at.b.book.cancel(begun.id))?.state, "cancelling");
    assert.equal((await at.a.book.find(begun.id))?.state, "cancelling");
    await assert.rejects(at.b.book.start(work("backup.create")), /under way already as job_/);
    await heard.promise;
    end.resolve();
    assert.equal((await until(at.b.book, begun, hasEnded)).state, "cancelled");
    assert.equal(await at.b.book.cancel("job_unknown"), undefined);
  },
);

Deno.test(
  "of two nodes that begin the same at one moment one runs it",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    let runs = 0;
    const run: JobStart["run"] = (watcher) => {
      runs++;
      return ENDLESS(watcher);
    };
    const begun = await Promise.all(
      [at.a, at.b, at.a, at.b].map(({ book }) => book.start(work("ledger.verify", run))),
    );
    assert.equal(new Set(begun.map(({ id }) => id)).size, 1);
    assert.equal(runs, 1);
    await at.a.book.cancel(begun[0]!.id);
    await until(at.a.book, begun[0]!, hasEnded);
  },
);

Deno.test(
  "what a node ran that was taken for dead is interrupted for ever, and may begin again",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    const done = Promise.withResolvers<unknown>();
    const lost = await at.a.book.start(work("ledger.verify", () => done.promise));
    await at.ask(`UPDATE node_sessions SET state = 'dead' WHERE session_id = ${at.a.session}`);
    const seen = await at.b.book.find(lost.id);
    assert.deepEqual([seen?.state, seen?.endedAt], ["interrupted", undefined]);
    const next = await at.b.book.start(work("ledger.verify", ENDLESS));
    assert.notEqual(next.id, lost.id);
    done.resolve({ rows: 1 });
    await at.a.book.stop();
    assert.deepEqual(
      (await at.b.book.list()).map(({ id, state }) => [id, state]).sort(),
      [[next.id, "running"], [lost.id, "interrupted"]].sort(),
    );
    assert.equal((await at.b.book.find(lost.id))?.result, undefined);
    await assert.rejects(at.a.book.start(work("doctor.run")), /stopping/);
  },
);

Deno.test(
  "a beginning that comes to the server after its error was told keeps nobody from beginning",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    const { sharedJobs } = at.a.storage;
    const begun = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<void>();
    const book = new SharedJobBook({
      clock: systemClock,
      jobs: new Proxy(sharedJobs, {
        get(jobs, name: keyof SharedJobs) {
          if (name === "start") {
            return (job: SharedJobStart, _own: readonly string[], onSent: () => void) => {
              onSent();
              begun.resolve(job.id);
              return Promise.reject(new GatewayError("storage_away", "The line was cut"));
            };
          }
          if (name !== "end" && name !== "giveUp") return jobs[name].bind(jobs);
          // deno-lint-ignore no-explicit-any
          return (...given: any[]) =>
            (jobs[name] as (...given: unknown[]) => Promise<void>).apply(jobs, given)
              .finally(ended.resolve);
        },
      }),
      onFault: (_id, error) => at.faults.push(String(error)),
      onUnwritten: (id) => at.unwritten.push(id),
    });
    await assert.rejects(book.start(work("ledger.verify", ENDLESS)), /The line was cut/);
    const lost = await begun.promise;
    await ended.promise;
    // As a server has it run whose client is gone.
    await at.ask(
      `INSERT INTO admin_jobs (id, operation, session_id, state, facts, started_at)
       VALUES ('${lost}', 'ledger.verify', ${at.a.session}, 'running', '{"startedBy":{}}', 1)
       ON CONFLICT DO NOTHING`,
    );
    const next = await at.b.book.start(work("ledger.verify", ENDLESS));
    assert.deepEqual([next.node, next.state], ["node b", "running"]);
    assert.equal((await at.b.book.find(lost))?.state, "interrupted");
    await at.b.book.cancel(next.id);
  },
);

Deno.test("an id that no text of the server can be is refused", NEEDS_POSTGRES, async () => {
  await using at = await scene();
  const isInvalid = (error: GatewayError) => error.code === "invalid_value";
  await assert.rejects(at.a.book.find("job_\0"), isInvalid);
  await assert.rejects(at.a.book.cancel("job_\0"), isInvalid);
  await assert.rejects(at.a.storage.batches.find("batch_\0"), isInvalid);
});

Deno.test(
  "a node that stops interrupts its own and leaves the other's alone",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    const own = await at.a.book.start(work("ledger.verify", ENDLESS));
    const other = await at.b.book.start(work("backup.create", ENDLESS));
    await at.a.book.stop();
    assert.equal((await at.b.book.find(own.id))?.state, "interrupted");
    assert.equal((await at.b.book.find(other.id))?.state, "running");
  },
);

Deno.test(
  "of all nodes' jobs the last are remembered, and of long results the newest",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    await at.ask(
      `INSERT INTO admin_jobs (id, operation, session_id, state, facts, started_at, ended_at)
     SELECT 'job_' || n, 'x', 0, 'completed', '{"role":"viewer","startedBy":{"channel":"cli"}}', n, n
     FROM generate_series(1, ${MOST_ENDED + 4}) AS n`,
    );
    const long = "x".repeat(MOST_RESULT_CHARACTERS * 0.6);
    const first = await at.a.book.start(work("alerts.test", () => Promise.resolve(long)));
    assert.equal((await until(at.a.book, first, hasEnded)).result, long);
    const second = await at.b.book.start(work("alerts.test", () => Promise.resolve(long)));
    await at.b.book.stop();
    assert.equal((await at.a.book.find(second.id))?.result, long);
    assert.equal((await at.a.book.find(first.id))?.result, undefined);
    assert.equal((await at.a.book.list()).length, MOST_ENDED);
  },
);

Deno.test(
  "while the database is away a job goes on, and its end is written when it is back",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    const done = Promise.withResolvers<unknown>();
    const begun = await at.a.book.start(work("ledger.verify", () => done.promise));
    await server.crash();
    const away = (error: GatewayError) => error.code === "storage_away";
    await assert.rejects(Promise.resolve(at.b.book.list()), away);
    await assert.rejects(at.b.book.start(work("backup.create")), away);
    done.resolve({ rows: 7 });
    while (!at.unwritten.includes(begun.id)) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await server.start();
    let ended: Job | undefined;
    while (ended === undefined) {
      ended = await until(at.b.book, begun, hasEnded).catch((error) => {
        if (!away(error)) throw error;
        return undefined;
      });
    }
    assert.deepEqual([ended.state, ended.result], ["completed", { rows: 7 }]);
    assert.equal(new Set(at.unwritten).size, at.unwritten.length, "it is told once of each");
    assert.deepEqual(at.faults, []);
  },
);

Deno.test(
  "of jobs that were refused unsent, as the database is away, nothing is left",
  NEEDS_POSTGRES,
  async () => {
    await server.create("refused");
    using line = cutLine(server.port);
    const storage = await openPostgresStorage({
      url: server.url("refused").replace(`:${server.port}/`, `:${line.port}/`),
      identity: { node: "one", label: "one" },
      beatMs: 10,
      awayMs: 200,
    });
    const unwritten: string[] = [];
    const book = new SharedJobBook({
      clock: systemClock,
      jobs: storage.sharedJobs,
      onFault: (_id, error) => assert.fail(String(error)),
      onUnwritten: (id) => unwritten.push(id),
    });
    try {
      await storage.beginSession();
      assert.deepEqual(await book.list(), []);
      line.hold("to_client");
      await untilSo("the server to be away", () => storage.serverState().silentMs >= 200);
      for (let tries = 0; tries < 30; tries++) {
        await assert.rejects(book.start(work("ledger.verify")), { code: "storage_away" });
      }
      assert.deepEqual(unwritten, []);
      line.release();
      await untilSo("it to answer", () => storage.serverState().silentMs < 200);
      const { id } = await book.start(work("ledger.verify"));
      await book.stop();
      assert.deepEqual((await book.list()).map((job) => [job.id, job.state]), [[id, "completed"]]);
    } finally {
      line.release();
      await book.stop();
      await storage.close();
    }
  },
);

Deno.test("no more is begun while it is in doubt of ten jobs whether they were", async () => {
  let isAway = true;
  let asked = 0;
  const given: string[] = [];
  const away = () => new GatewayError("storage_away", "The line was cut");
  const book = new SharedJobBook({
    clock: systemClock,
    jobs: {
      start(_job: SharedJobStart, _own: readonly string[], onSent: () => void) {
        asked++;
        onSent();
        return Promise.reject(away());
      },
      giveUp({ id }: SharedJobStart) {
        if (isAway) return Promise.reject(away());
        given.push(id);
        return Promise.resolve();
      },
    } as unknown as SharedJobs,
    onFault: (_id, error) => assert.fail(String(error)),
    onUnwritten: () => {},
    nextTurn: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  for (let tries = 0; tries < 10; tries++) {
    await assert.rejects(book.start(work("ledger.verify")), /The line was cut/);
  }
  const refused = { code: "storage_away", message: /^Nothing was started: .* of 10 jobs / };
  await assert.rejects(book.start(work("ledger.verify")), refused);
  assert.equal(asked, 10);
  isAway = false;
  await untilSo("them to be given up", () => given.length === 10);
  await assert.rejects(book.start(work("ledger.verify")), /The line was cut/);
  await book.stop();
  assert.equal(new Set(given).size, 11);
});
