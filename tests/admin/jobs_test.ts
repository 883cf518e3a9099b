/**
 * Long operations as jobs: one of a kind, with progress that is counted, cancelled, kept, and said to
 * be interrupted when their process is gone.
 *
 * @module
 */

import assert from "node:assert/strict";
import { dirname } from "node:path";
import type * as z from "zod";
import { createBackup } from "../../src/admin/backups.ts";
import { testProviders } from "../../src/admin/catalogue/providers.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { WorkProgress } from "../../src/admin/base/work_progress.ts";
import { isUnderWay, type Job, type JobStart } from "../../src/admin/base/job.ts";
import {
  JobBook,
  type KeptJob,
  MOST_ENDED,
  MOST_RESULT_CHARACTERS,
} from "../../src/admin/jobs/job_book.ts";
import { cancelJob, listJobs, showJob } from "../../src/admin/jobs/jobs.ts";
import { canBeJob, startJob } from "../../src/admin/jobs/start_job.ts";
import { checkLedger, verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { OPERATIONS } from "../../src/admin/operations.ts";
import { createProject } from "../../src/admin/accounts/projects.ts";
import { openJobShelf } from "../../src/app/jobs/job_shelf.ts";
import type { Rights } from "../../src/domain/roles.ts";
import { GatewayError } from "../../src/errors.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

const VIEWER: Rights = { role: "viewer" };
const ACTOR = { channel: "in_process", user: "anna", address: undefined } as const;

/** A book on a folder of its own, with work that tests end. */
async function withBook(
  test: (
    open: () => JobBook,
    faults: string[],
    clock: { at: number },
    kept: () => readonly KeptJob[],
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-jobs-" });
  const faults: string[] = [];
  const clock = { at: 1_000 };
  const open = () =>
    new JobBook({
      clock: { now: () => clock.at, monotonic: () => clock.at },
      shelf: openJobShelf(folder, (message) => faults.push(message)),
      onFault: (_id, error) => faults.push(String(error)),
    });
  try {
    await test(open, faults, clock, () => openJobShelf(folder, () => {}).read());
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function work(operation: string, run: JobStart["run"] = () => Promise.resolve({})): JobStart {
  return { operation, role: "viewer", input: {}, startedBy: ACTOR, run };
}

/** Work that goes on until it is cancelled. */
const ENDLESS: JobStart["run"] = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

async function untilEnded(book: Pick<JobBook, "find">, { id }: Pick<Job, "id">): Promise<Job> {
  for (;;) {
    const job = book.find(id)!;
    if (!isUnderWay(job)) return job;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

async function as<Input extends z.ZodType, Output extends z.ZodType>(
  { deps }: TestAdmin,
  rights: Rights,
  [operation, input]: readonly [Operation<Input, Output>, z.input<Input>],
) {
  return await runOperation(operation, { deps, input, origin: { ...deps.origin, rights } });
}

Deno.test("the ledger is verified as a job: its rows are counted, and its answer is the operation's", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  for (const id of ["red", "blue"]) await runOperation(createProject, { deps, input: { id } });
  const begun = await startJob(verifyLedger, { deps, input: {} });
  assert.match(begun.id, /^job_[a-z2-7]{26}$/);
  assert.equal(begun.state, "running");
  await untilEnded(deps.jobs as JobBook, begun);
  const { result, ...row } = await as(admin, VIEWER, [showJob, { job_id: begun.id }]);
  const direct = await runOperation(verifyLedger, { deps, input: {} });
  assert.deepEqual(result, direct);
  assert.deepEqual(row.state, "completed");
  assert.equal(row.operation, "ledger.verify");
  assert.equal(row.started_by, "in_process: tester");
  const { calls, ledger, priceVersions, audit } = await admin.storage.ledger.rowCounts();
  assert.equal(audit, direct.checked.audit_rows);
  const total = 2 * (calls + ledger) + priceVersions + audit;
  assert.deepEqual(row.progress, { step: "audit", done: total, total, unit: "rows" });
  const listed = await as(admin, VIEWER, [listJobs, {}]);
  assert.deepEqual(listed.data, [row], "without the result");
});

Deno.test("progress only rises, from nothing to everything, and never past it", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const told: WorkProgress[] = [];
  await checkLedger(admin.storage, undefined, { onProgress: (progress) => told.push(progress) });
  const { total } = told[0]!;
  assert.ok(total! > 0);
  assert.deepEqual(told.map((one) => one.total), told.map(() => total));
  const done = told.map((one) => one.done);
  assert.equal(done[0], 0);
  assert.equal(done.at(-1), total);
  assert.deepEqual(done, done.toSorted((a, b) => a - b));
  assert.deepEqual([...new Set(told.map(({ step }) => step))], [
    "ledger",
    "calls",
    "checksums",
    "audit",
  ]);
});

Deno.test("a backup as a job is a file; cancelled, it leaves none", async () => {
  await using admin = await openTestAdmin();
  const { deps, path } = admin;
  const jobs = deps.jobs as JobBook;
  const folder = `${dirname(path)}/kept`;
  await Deno.mkdir(folder);
  const cancelledJob = await startJob(createBackup, { deps, input: { folder } });
  await as(admin, { role: "owner" }, [cancelJob, { job_id: cancelledJob.id }]);
  assert.equal((await untilEnded(jobs, cancelledJob)).state, "cancelled");
  assert.deepEqual([...Deno.readDirSync(folder)], []);
  const made = await untilEnded(jobs, await startJob(createBackup, { deps, input: { folder } }));
  assert.equal(made.state, "completed", JSON.stringify(made.error));
  const { file } = made.result as { readonly file: string };
  assert.ok((await Deno.stat(file)).isFile);
  assert.equal(made.progress?.step, "audit", "it was read again, with its rows counted");
});

Deno.test("whoever may not run an operation neither starts nor sees nor cancels its jobs", async () => {
  await using admin = await openTestAdmin();
  const { deps } = admin;
  const viewer = { ...deps.origin, rights: VIEWER };
  await assert.rejects(
    () => startJob(createBackup, { deps, input: {}, origin: viewer }),
    /backup\.create takes the role owner/,
  );
  const job = await startJob(createBackup, { deps, input: {} });
  assert.deepEqual((await as(admin, VIEWER, [listJobs, {}])).data, []);
  for (const operation of [showJob, cancelJob]) {
    await assert.rejects(
      as(admin, VIEWER, [operation, { job_id: job.id }]),
      /There is no job 'job_/,
    );
  }
  assert.equal((await untilEnded(deps.jobs as JobBook, job)).state, "completed");
  await assert.rejects(
    as(admin, { role: "owner" }, [cancelJob, { job_id: job.id }]),
    (error: GatewayError) =>
      error.code === "conflict" && /has ended as completed/.test(error.message),
  );
});

Deno.test("what is long and does something may be a job, its input is checked before it begins", async () => {
  assert.deepEqual(OPERATIONS.filter(canBeJob).map(({ name }) => name).sort(), [
    "alerts.test",
    "backup.create",
    "calls.archive",
    "calls.restore_archives",
    "doctor.run",
    "ledger.verify",
    "providers.test",
  ]);
  await using admin = await openTestAdmin();
  const { deps } = admin;
  await assert.rejects(startJob(createBackup, { deps, input: { file: "relative" } }), /absolute/);
  assert.deepEqual(deps.jobs.list(), []);
});

Deno.test("of a kind one goes on: the same is that one, another one is refused", async () => {
  await withBook(async (open) => {
    const book = open();
    const first = book.start(work("ledger.verify", ENDLESS));
    assert.equal(book.start(work("ledger.verify", ENDLESS)).id, first.id);
    const other = { ...work("ledger.verify", ENDLESS), input: { to: "elsewhere" } };
    assert.throws(() => book.start(other), new RegExp(`under way already as ${first.id}`));
    const backup = book.start(work("backup.create"));
    assert.notEqual(backup.id, first.id);
    assert.equal(book.cancel(first.id)?.state, "cancelling");
    assert.throws(() => book.start(work("ledger.verify", ENDLESS)), /under way already/);
    assert.equal((await untilEnded(book, first)).state, "cancelled");
    const again = book.start(work("ledger.verify"));
    assert.notEqual(again.id, first.id);
    await untilEnded(book, again);
    await book.stop();
  });
});

Deno.test("what is left is told by how fast it went, where the total is known", async () => {
  await withBook(async (open, _faults, clock) => {
    const book = open();
    let tell: (progress: WorkProgress) => void;
    const job = book.start(work("ledger.verify", (watcher) => {
      tell = watcher.onProgress;
      return ENDLESS(watcher);
    }));
    assert.equal(book.find(job.id)?.progress, undefined);
    tell!({ step: "ledger", done: 0, total: 100 });
    assert.equal(book.find(job.id)?.remainingMs, undefined);
    clock.at += 1_000;
    tell!({ step: "calls", done: 25, total: 100 });
    assert.equal(book.find(job.id)?.remainingMs, 3_000);
    tell!({ step: "dropping", done: 5, total: undefined });
    assert.equal(book.find(job.id)?.remainingMs, undefined);
    book.cancel(job.id);
    await untilEnded(book, job);
    await book.stop();
  });
});

Deno.test("a process that died has interrupted its jobs, and one that stops interrupts its own", async () => {
  await withBook(async (open, faults, _clock, kept) => {
    const died = open();
    const lost = died.start(work("ledger.verify", ENDLESS));
    await died.start(work("backup.create"));
    await untilEnded(died, died.list()[0]!);
    // Written; of that process nothing more is heard.
    while (kept().map(({ state }) => state).join() !== "running,completed") {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const next = open();
    const shown = next.find(lost.id)!;
    assert.deepEqual([shown.state, shown.endedAt, shown.startedBy], [
      "interrupted",
      undefined,
      ACTOR,
    ]);
    const stopped = next.start(work("ledger.verify", ENDLESS));
    await next.stop();
    assert.equal(next.find(stopped.id)?.state, "interrupted");
    assert.throws(() => next.start(work("ledger.verify")), /stopping/);
    const last = open().list();
    assert.deepEqual(last.map(({ state }) => state), ["interrupted", "completed", "interrupted"]);
    died.cancel(lost.id);
    await untilEnded(died, lost);
    await died.stop();
    assert.deepEqual(faults, []);
  });
});

Deno.test("a job that fails says why as the operation would, and nothing of a fault", async () => {
  await withBook(async (open, faults) => {
    const book = open();
    const refusing = () => Promise.reject(new GatewayError("storage_full", "Make room"));
    const refused = await untilEnded(book, book.start(work("backup.create", refusing)));
    assert.equal(refused.state, "failed");
    assert.match(JSON.stringify(refused.error), /Make room/);
    const broken = () => Promise.reject(new TypeError("secret cause"));
    const faulty = await untilEnded(book, book.start(work("ledger.verify", broken)));
    assert.equal(faulty.error?.code, "internal_error");
    assert.ok(!JSON.stringify(faulty).includes("secret cause"));
    assert.deepEqual(faults, ["TypeError: secret cause"]);
    await book.stop();
  });
});

Deno.test("the last that ended are remembered, and of long results the newest", async () => {
  await withBook(async (open) => {
    const book = open();
    for (let at = 0; at < MOST_ENDED + 5; at++) {
      await untilEnded(book, book.start(work("alerts.test", () => Promise.resolve({ at }))));
    }
    assert.equal(book.list().length, MOST_ENDED);
    assert.deepEqual(book.list()[0]?.result, { at: MOST_ENDED + 4 });
    const long = "x".repeat(MOST_RESULT_CHARACTERS * 0.6);
    const first = book.start(work("alerts.test", () => Promise.resolve(long)));
    await untilEnded(book, first);
    assert.equal(book.find(first.id)?.result, long);
    const second = book.start(work("alerts.test", () => Promise.resolve(long)));
    await untilEnded(book, second);
    assert.equal(book.find(second.id)?.result, long);
    assert.equal(book.find(first.id)?.result, undefined);
    assert.equal(book.find(first.id)?.state, "completed");
    await book.stop();
  });
});

Deno.test("a damaged list begins anew and is told of", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-jobs-" });
  try {
    await Deno.writeTextFile(`${folder}/jobs.json`, "{");
    const told: string[] = [];
    assert.deepEqual(openJobShelf(folder, (message) => told.push(message)).read(), []);
    assert.match(told.join(), /begins anew, as .*jobs\.json cannot be read/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a test of providers that is broken off says nothing of them", async () => {
  const asked = Promise.withResolvers<void>();
  const end = new AbortController();
  const upstream = Deno.serve({ port: 0, onListen() {} }, ({ signal }) => {
    asked.resolve();
    // It answers nobody who waits for it.
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve(new Response()), { once: true })
    );
  });
  const text = CATALOGUE.replace("127.0.0.1:9/v1", `127.0.0.1:${upstream.addr.port}/v1`);
  await using admin = await openTestAdmin({ catalogue: text });
  const watcher = { signal: end.signal, onProgress() {} };
  const test = runOperation(testProviders, { deps: { ...admin.deps, watcher }, input: {} });
  await asked.promise;
  end.abort();
  await assert.rejects(test, { name: "AbortError" });
  await upstream.shutdown();
});
