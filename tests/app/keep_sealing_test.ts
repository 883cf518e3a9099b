/**
 * The ledger on a server is sealed by one of those that use it, beside everything else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { keepSealing } from "../../src/app/keep_sealing.ts";
import type { PostgresStorage } from "../../src/storage/postgres/postgres_storage.ts";
import { SETTLED } from "../admin/planted_faults.ts";
import { DAY_MS, verify, withHistory } from "../storage/postgres/sealed_history.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

/** The machines' clocks say the same. */
const IN_STEP = { state: () => ({ answerMs: 1, clockAheadMs: 0 }) };

/** What is written to a log. */
function openLog() {
  const lines: string[] = [];
  const note = (event: string) => void lines.push(event);
  return { lines, log: { info: note, error: note } };
}

Deno.test("a day that is over is sealed by whoever is to", NEEDS_POSTGRES, async () => {
  await withHistory(server, false, async ({ storage, madeAt }) => {
    const { lines, log } = openLog();
    const clock = { now: () => madeAt + DAY_MS };
    const options = { storage, server: IN_STEP, clock, log, lookMs: 20 };
    const sealing = keepSealing(options);
    // Nobody has a session: whoever only looks seals nothing.
    await sealing.stop();
    assert.equal(lines.length, 0);
    await storage.beginSession();
    const again = keepSealing(options);
    await until("the seal", () => lines.includes("ledger_sealed"));
    assert.deepEqual(again.warnings(), []);
    await again.stop();
    assert.equal((await storage.seals!.list(undefined, 10)).length, 1);
    assert.deepEqual(await verify(storage), []);
  });
});

Deno.test(
  "a fault is told of as long as it keeps a run from its seal",
  NEEDS_POSTGRES,
  async () => {
    await withHistory(server, false, async ({ hand, storage, madeAt }) => {
      await storage.beginSession();
      const alter = (id: string) =>
        `UPDATE calls SET request_id = ${id} WHERE call_id = ${SETTLED}`;
      await hand.runEach(alter("request_id || 'x'"));
      const { lines, log } = openLog();
      const sealing = keepSealing({
        ...{ storage, server: IN_STEP, log, lookMs: 20 },
        clock: { now: () => madeAt + DAY_MS },
      });
      await until("trouble", () => lines.includes("ledger_not_sealed"));
      assert.match(sealing.warnings()[0]!, /calls 1: the row was altered/);
      await hand.runEach(alter("substr(request_id, 1, length(request_id) - 1)"));
      await until("the seal", () => lines.includes("ledger_sealed"));
      await until("no warning", () => sealing.warnings().length === 0);
      await sealing.stop();
    });
  },
);

Deno.test(
  "calls of a month are deleted when it has ended long enough ago",
  NEEDS_POSTGRES,
  async () => {
    await withHistory(server, false, async ({ storage, madeAt }) => {
      await storage.beginSession();
      const { lines, log } = openLog();
      let now = madeAt + DAY_MS;
      const sealing = keepSealing({
        ...{ storage, server: IN_STEP, log, lookMs: 20, dropAfterMonths: 2 },
        clock: { now: () => now },
      });
      await until("the seal", () => lines.includes("ledger_sealed"));
      const { length } = await storage.ledger.slice(0, 100);
      now = madeAt + 120 * DAY_MS;
      await until("the end of calls", () => lines.includes("calls_dropped"));
      await sealing.stop();
      assert.deepEqual(sealing.warnings(), []);
      assert.ok((await storage.ledger.slice(0, 100)).length < length);
      assert.deepEqual(await verify(storage), []);
    });
  },
);

for (const side of [1, -1]) {
  Deno.test(
    `no call is deleted by a clock that is wrong, ${side > 0 ? "ahead" : "behind"}`,
    NEEDS_POSTGRES,
    async () => {
      await withHistory(server, false, async ({ storage, madeAt }) => {
        await storage.beginSession();
        const { lines, log } = openLog();
        let clockAheadMs = side * 120 * DAY_MS;
        let looks = 0;
        const sealing = keepSealing({
          ...{ storage, log, lookMs: 20, dropAfterMonths: 2 },
          clock: { now: () => madeAt + 120 * DAY_MS },
          server: { state: () => (looks++, { answerMs: 1, clockAheadMs }) },
        });
        await until("several looks", () => looks >= 3);
        assert.equal(lines.filter((line) => line === "calls_not_dropped").length, 1);
        assert.equal(lines.includes("calls_dropped"), false);
        clockAheadMs = 0;
        await until("the end of calls", () => lines.includes("calls_dropped"));
        await sealing.stop();
        assert.deepEqual(await verify(storage), []);
      });
    },
  );
}

Deno.test("what keeps calls from being deleted is told as that", NEEDS_POSTGRES, async () => {
  await withHistory(server, true, async ({ hand, storage, madeAt }) => {
    await storage.beginSession();
    await hand.runEach(`UPDATE calls SET request_id = 'x' WHERE call_id = ${SETTLED}`);
    const { lines, log } = openLog();
    const sealing = keepSealing({
      ...{ storage, server: IN_STEP, log, lookMs: 20, dropAfterMonths: 2 },
      clock: { now: () => madeAt + 120 * DAY_MS },
    });
    await until("trouble", () => lines.includes("calls_not_dropped"));
    await sealing.stop();
    assert.match(sealing.warnings().join(), /^calls are not deleted: ledger_seals 0\/\d+ does not/);
    assert.equal(lines.includes("ledger_not_sealed"), false);
  });
});

Deno.test("a statement that is never answered keeps nobody from stopping", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const silent = () => {
    resolve();
    return new Promise<never>(() => {});
  };
  // Of a server that is silent; nothing else of it is asked.
  const storage = { seals: { isSealer: silent } } as unknown as PostgresStorage;
  const { lines, log } = openLog();
  const sealing = keepSealing({ storage, server: IN_STEP, clock: { now: () => 0 }, log });
  await asked;
  await sealing.stop();
  assert.deepEqual([lines, sealing.warnings()], [[], []]);
});

Deno.test("why sealing fails is told the log, and anybody that it does", async () => {
  const why = "connect ECONNREFUSED 10.0.0.1:5432";
  const isSealer = () => Promise.reject(new Error(why));
  const storage = { seals: { isSealer } } as unknown as PostgresStorage;
  const messages: unknown[] = [];
  const log = {
    info() {},
    error: (_event: string, fields?: Record<string, unknown>) =>
      void messages.push(fields?.message),
  };
  const sealing = keepSealing({ storage, server: IN_STEP, clock: { now: () => 0 }, log });
  await until("trouble", () => messages.length > 0);
  await sealing.stop();
  assert.deepEqual(messages, [`the ledger is not sealed: ${why}`]);
  assert.deepEqual(sealing.warnings(), [
    "the ledger is not sealed: the log says why (ledger_not_sealed)",
  ]);
});
