/**
 * Calls of a session that others have ended before they were written: booked once, or named as not.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import type { SessionId } from "../../../src/domain/session.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import { Connection } from "../../../src/storage/postgres/connection.ts";
import { giveLeasesBack } from "../../../src/storage/postgres/ended_sessions.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { endSessions } from "../../../src/storage/postgres/session_register.ts";
import {
  commitOne,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "../../conformance/storage_samples.ts";
import { cutLine } from "../../support/cutting_line.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile({ isSynced: true });
let databases = 0;

/** Two nodes of a new database, of which one is about to be taken for dead. */
interface Scene {
  readonly database: string;
  readonly lost: PostgresStorage;
  readonly session: SessionId;
  readonly other: PostgresStorage;
  /** Ends the session as others do who find it silent. */
  end(): Promise<void>;
}

async function withScene(
  run: (scene: Scene) => Promise<void>,
  { balance = 1_000n, url = (direct: string) => direct } = {},
): Promise<void> {
  const database = `late_${++databases}`;
  await server.create(database);
  const open = (node: string, at: string) =>
    openPostgresStorage({
      url: at,
      identity: { node, label: node },
      ...{ beatMs: 20, reapMs: 60_000, patienceMs: 30_000, givenBackMs: 60_000 },
    });
  const direct = server.url(database);
  const other = await open("other", direct);
  const lost = await open("lost", url(direct));
  try {
    await other.beginSession();
    await fundProject(other, balance);
    const session = await lost.beginSession();
    await run({ database, lost, session, other, end: () => endAsOthersDo(direct, session) });
  } finally {
    await lost.close();
    await other.close();
  }
}

async function endAsOthersDo(url: string, session: SessionId): Promise<void> {
  const connection = await Connection.open({ url });
  try {
    await connection.runEach("BEGIN");
    await endSessions(connection, [session]);
    await giveLeasesBack(connection);
    await connection.commit();
  } finally {
    await connection.close();
  }
}

const lease: Entry = { kind: "lease", projectId: "acme", needE8: 300n, wishE8: 300n };

function hold(callId: number): Entry {
  return { kind: "hold", call: sampleOpenCall({ callId, heldE8: 100n }) };
}

function close(callId: number, changes: Parameters<typeof sampleClosedCall>[0] = {}): Entry {
  const amounts = { heldE8: 100n, saleE8: 60n, chargedE8: 60n };
  return { kind: "close", call: sampleClosedCall({ callId, ...amounts, ...changes }) };
}

/** The books add up once all is over, and say this of the project. */
async function requireBooks(
  { database, other }: Scene,
  expected: { readonly avail: bigint; readonly settled: number; readonly released?: number },
): Promise<void> {
  const { differences } = await checkLedger(other);
  assert.deepEqual(differences.filter(({ column }) => column !== "price_version"), []);
  assert.deepEqual(await other.accounts.balances(["acme"]), [
    { projectId: "acme", avail: expected.avail, held: 0n },
  ]);
  const count = (kind: string) =>
    server.ask(database, `SELECT count(*) FROM ledger WHERE kind = '${kind}'`);
  assert.equal(await count("settle"), String(expected.settled));
  assert.equal(await count("release"), String(expected.released ?? 0));
}

Deno.test(
  "calls without a row are booked once by another session, and nothing else of the ended one is",
  NEEDS_POSTGRES,
  () =>
    withScene(async (scene) => {
      const { database, lost, session, other, end } = scene;
      await commitOne(lost, lease);
      await end();
      const results = await lost.commitBatch([hold(7), close(7), close(8), lease, hold(9)]);
      assert.deepEqual(words(results), ["ok", "ok", "ok", "unavailable", "ok"]);
      assert.deepEqual(words([await commitOne(lost, close(7))]), ["conflict"]);
      assert.deepEqual(await lost.endLate(), {
        booked: 2,
        closedElsewhere: 1,
        keysTaken: 0,
        linesLeft: 0,
      });
      assert.equal(await lost.endLate(), undefined);
      const states = "SELECT count(*) FROM node_sessions WHERE session_id";
      assert.equal(await server.ask(database, `${states} = ${session} AND batch_no = 1`), "1");
      assert.equal(await server.ask(database, `${states} > ${session} AND state = 'closed'`), "1");
      assert.equal((await other.calls.usageReport({ groupBy: [] })).lines[0]!.calls, 2);
      await requireBooks(scene, { avail: 880n, settled: 2 });
    }),
);

Deno.test(
  "a row that is open is closed by whoever comes first",
  NEEDS_POSTGRES,
  () =>
    withScene(async (scene) => {
      const { lost, other, end } = scene;
      await commitOne(lost, lease);
      await lost.commitBatch([hold(7), hold(8), hold(9)]);
      await end();
      const nothing = { costE8: 0n, saleE8: 0n, chargedE8: 0n };
      const released = { state: "released", usageSource: "none", ...nothing } as const;
      assert.deepEqual(words([await commitOne(other, close(7, released))]), ["ok"]);
      assert.deepEqual(words(await lost.commitBatch([close(7), close(8)])), ["conflict", "ok"]);
      // It has used more than it held, as could not be written any more.
      const more = { heldE8: 150n, saleE8: 140n, chargedE8: 140n };
      const move: Entry = { kind: "rehold", call: sampleOpenCall({ callId: 9, heldE8: 150n }) };
      assert.deepEqual(words(await lost.commitBatch([move, close(9, more)])), ["ok", "ok"]);
      const { booked, closedElsewhere } = (await lost.endLate())!;
      assert.deepEqual([booked, closedElsewhere], [2, 1]);
      await requireBooks(scene, { avail: 800n, settled: 2, released: 1 });
    }),
);

Deno.test(
  "a batch that was written, as nobody has heard, is not booked again",
  NEEDS_POSTGRES,
  async () => {
    using line = cutLine(server.port);
    await withScene(async (scene) => {
      const { database, lost, session, end } = scene;
      await commitOne(lost, lease);
      line.cutNext("before_answer");
      // The answer to the end is lost, and whoever asks for it hears nothing until all is over.
      const writing = lost.commitBatch([close(7)]);
      await until(
        "the batch to be written",
        async () =>
          await server.ask(
            database,
            `SELECT batch_no FROM node_sessions WHERE session_id = ${session}`,
          ) === "2",
      );
      await end();
      assert.deepEqual(words(await writing), ["ok"]);
      assert.equal(await lost.endLate(), undefined);
      await requireBooks(scene, { avail: 940n, settled: 1 });
    }, { url: (direct) => direct.replace(`:${server.port}/`, `:${line.port}/`) });
  },
);

Deno.test(
  "what the balance has no more is the operator's loss",
  NEEDS_POSTGRES,
  () =>
    withScene(async (scene) => {
      const { lost, other, end } = scene;
      await commitOne(lost, { kind: "lease", projectId: "acme", needE8: 100n, wishE8: 100n });
      await end();
      // Others spend meanwhile what it had leased.
      await commitOne(other, { kind: "lease", projectId: "acme", needE8: 60n, wishE8: 60n });
      assert.deepEqual(words([await commitOne(other, close(9, { heldE8: 60n }))]), ["ok"]);
      assert.deepEqual(words(await lost.commitBatch([close(7), close(8)])), ["ok", "ok"]);
      await lost.endLate();
      const rows = await other.ledger.slice(0, 10, (await other.ledger.books()).at(-1)!);
      assert.deepEqual(rows.map(({ callId, kind, amountE8 }) => [callId, kind, amountE8]), [
        [7, "settle", 40n],
        [7, "loss", 20n],
        [8, "settle", 0n],
        [8, "loss", 60n],
      ]);
      await requireBooks(scene, { avail: 0n, settled: 3 });
    }, { balance: 100n }),
);

Deno.test(
  "what others have leased and do not need is waited for",
  NEEDS_POSTGRES,
  () =>
    withScene(async (scene) => {
      const { lost, other, end } = scene;
      const part = { projectId: "acme", amountE8: 100n } as const;
      await end();
      await commitOne(other, { kind: "lease", projectId: "acme", needE8: 100n, wishE8: 100n });
      other.nodes.follow({
        onWanted: () => void commitOne(other, { kind: "give_back", ...part }),
      });
      assert.deepEqual(words([await commitOne(lost, close(7))]), ["ok"]);
      await lost.endLate();
      await requireBooks(scene, { avail: 40n, settled: 1 });
    }, { balance: 100n }),
);

Deno.test(
  "a batch's line is left to whoever goes on with the batch, and a call of others to them",
  NEEDS_POSTGRES,
  () =>
    withScene(async (scene) => {
      const { lost, other, end } = scene;
      await end();
      await commitOne(other, lease);
      await commitOne(other, hold(8));
      const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0 };
      const batchLine = { batchId: "batch_1", line: 1, isFailed: false, text: "{}", usage };
      const ofBatch: Entry = {
        ...close(7) as Extract<Entry, { kind: "close" }>,
        batchLine,
      };
      assert.deepEqual(words(await lost.commitBatch([ofBatch, close(8)])), [
        "conflict",
        "conflict",
      ]);
      const { booked, closedElsewhere, linesLeft } = (await lost.endLate())!;
      assert.deepEqual([booked, closedElsewhere, linesLeft], [0, 1, 1]);
      assert.deepEqual(words([await commitOne(other, close(8))]), ["ok"]);
      await requireBooks(scene, { avail: 940n, settled: 1 });
    }),
);

Deno.test(
  "a call with an Idempotency-Key is booked where nobody else has taken that since",
  NEEDS_POSTGRES,
  () =>
    withScene(async (scene) => {
      const { lost, other, end } = scene;
      const record = (key: string, requestId: string) => ({
        ...{ projectId: "acme", path: "/chat/completions", key, requestId },
        ...{ fingerprint: "f", status: 200, body: "{}", stream: undefined },
        ...{ createdAt: 1, expiresAt: 2 },
      });
      const claim = (
        { projectId, path, key, requestId, fingerprint }: ReturnType<typeof record>,
      ) => ({ scope: { projectId, path, key }, requestId, fingerprint });
      const keyed = (callId: number, key: string, requestId: string): Entry => ({
        ...close(callId) as Extract<Entry, { kind: "close" }>,
        idempotency: record(key, requestId),
      });
      for (const key of ["free", "taken", "answered"]) {
        assert.equal(await lost.claims.claim(claim(record(key, `lost ${key}`))), undefined);
      }
      await end();
      assert.equal(await other.claims.claim(claim(record("taken", "again"))), undefined);
      const answered = record("answered", "again");
      assert.equal(await other.claims.claim(claim(answered)), undefined);
      await commitOne(other, lease);
      assert.deepEqual(words([await commitOne(other, keyed(6, "answered", "again"))]), ["ok"]);
      const late = ["free", "taken", "answered"].map((key, at) =>
        keyed(7 + at, key, `lost ${key}`)
      );
      assert.deepEqual(words(await lost.commitBatch(late)), ["ok", "conflict", "conflict"]);
      const { booked, keysTaken } = (await lost.endLate())!;
      assert.deepEqual([booked, keysTaken], [1, 2]);
      const stored = async (key: string) =>
        (await other.answers.find({ ...answered, key }))?.requestId;
      assert.deepEqual(
        [await stored("free"), await stored("taken"), await stored("answered")],
        ["lost free", undefined, "again"],
      );
      await requireBooks(scene, { avail: 880n, settled: 2 });
    }),
);

Deno.test(
  "another process that has the node's name goes on",
  NEEDS_POSTGRES,
  () =>
    withScene(async (scene) => {
      const { database, lost } = scene;
      await commitOne(lost, lease);
      const next = await openPostgresStorage({
        url: server.url(database),
        identity: { node: "lost", label: "lost, again" },
      });
      try {
        await next.beginSession();
        assert.deepEqual(words([await commitOne(lost, close(7))]), ["ok"]);
        assert.deepEqual(words([await commitOne(next, lease)]), ["ok"]);
        assert.equal((await lost.endLate())!.booked, 1);
      } finally {
        await next.close();
      }
      await requireBooks(scene, { avail: 940n, settled: 1 });
    }),
);
