import assert from "node:assert/strict";
import type { ClosedCall } from "../../../src/domain/call.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import type { UsageQuery } from "../../../src/storage/ports/usage.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import { readUsageReport } from "../../../src/storage/sqlite/usage_report.ts";
import { NOON_ISH, sampleClosedCall, sampleProject } from "../../conformance/storage_samples.ts";
import { withDatabasePath } from "./temporary_database.ts";

const HOUR_MS = 3_600_000;
const CALLS = 30;

function sampleCall(callId: number): ClosedCall {
  return sampleClosedCall({
    callId,
    requestId: `req_${callId}`,
    unlimited: true,
    heldE8: 0n,
    chargedE8: 0n,
    keyId: callId % 2 === 0 ? "even" : "odd",
    capability: callId % 3 === 0 ? "images" : "chat",
    closedAt: NOON_ISH + callId * HOUR_MS / 4,
    work: callId % 3 === 0 ? { input: 2, imageOut: 3, search: 1 } : { input: 10, cachedInput: 4 },
    ...(callId === 7 && { video: { size: "640x360", seconds: 8, percent: 25 } }),
    ...(callId === 9 && { result: "upstream_failed", state: "released", saleE8: 0n, costE8: 0n }),
  });
}

const ENTRIES: readonly Entry[] = [
  { kind: "create_project", project: sampleProject({ unlimited: true }) },
  ...Array.from({ length: CALLS }, (_, index): Entry => ({
    kind: "close",
    call: sampleCall(index + 1),
  })),
];

Deno.test("details are added up by key, endpoint and hour, whatever a slice holds", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const stores = createStores(database, path);
    assert.deepEqual(stores.commitBatch(ENTRIES).filter(({ ok }) => !ok), []);
    stores.writeSums();
    const queries: readonly UsageQuery[] = [
      { groupBy: ["key"] },
      { groupBy: ["endpoint", "hour"] },
      { groupBy: ["hour", "key"], fromMs: NOON_ISH + 3 * HOUR_MS, toMs: NOON_ISH + 5 * HOUR_MS },
      { groupBy: [], keyId: "odd", capability: "images" },
    ];
    for (const query of queries) {
      const whole = readUsageReport(database, query);
      assert.equal(whole.cut, undefined);
      for (const sliceRows of [1, 2, 5]) {
        assert.deepEqual(readUsageReport(database, query, { sliceRows }), whole);
      }
    }
    const [even, odd] = readUsageReport(database, queries[0]!).lines;
    assert.deepEqual([even!.key, even!.calls, odd!.key, odd!.calls], ["even", 15, "odd", 15]);
    assert.deepEqual(odd!.details, {
      failed_calls: 1,
      cached_tokens: 40,
      reasoning_tokens: 0,
      images: 15,
      characters: 0,
      audio_seconds: 0,
      searches: 5,
      films: 1,
      film_seconds: 2,
    });
    const hours = readUsageReport(database, queries[1]!).lines;
    assert.deepEqual(
      [hours[0]!.endpoint, hours[0]!.hour, hours[0]!.calls],
      ["chat", "2026-11-21T10:00:00Z", 1],
    );
    assert.equal(hours.reduce((sum, { calls }) => sum + calls, 0), CALLS);
    // The other sums are made from the same.
    assert.deepEqual(
      readUsageReport(database, { groupBy: ["month"] }).lines.map((
        { month, calls },
      ) => [month, calls]),
      [
        ["2026-11", CALLS],
      ],
    );
    database.close();
  });
});

Deno.test("calls of earlier versions are added to the details, newest first, and once", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const stores = createStores(database, path);
    stores.commitBatch(ENTRIES);
    stores.writeSums();
    const query: UsageQuery = { groupBy: ["key", "endpoint", "hour"] };
    const whole = readUsageReport(database, query);
    // As a migration finds it.
    const covered = database.prepare(
      "SELECT value AS n, (SELECT max(at) FROM ledger) AS at FROM meta WHERE name = 'usage_covers_ledger_seq'",
    ).get()!;
    database.exec("DELETE FROM detail_hourly");
    const set = database.prepare("UPDATE meta SET value = ? WHERE name = ?");
    set.run(String(covered.n), "detail_backfill_seq");
    set.run(String(covered.at), "detail_whole_since");
    const missing = readUsageReport(database, query);
    assert.deepEqual(missing.lines, []);
    assert.equal(missing.cut?.reason, "details");

    const step: Entry = { kind: "backfill_details", limit: 7 };
    assert.deepEqual(stores.commitBatch([step]), [{ ok: true, hasMore: true }]);
    const part = readUsageReport(database, query);
    assert.deepEqual(part.cut, {
      reason: "details",
      fromMs: Math.ceil((NOON_ISH + 24 * HOUR_MS / 4) / HOUR_MS) * HOUR_MS,
      isUnderWay: true,
    });
    // What is told is whole.
    assert.deepEqual(part.lines, whole.lines.filter(({ hour }) => hour! >= "2026-11-21T17"));
    // Calls that are closed meanwhile go their own way.
    const later = sampleCall(CALLS + 100);
    stores.commitBatch([{ kind: "close", call: later }]);
    stores.writeSums();
    const steps: boolean[] = [];
    for (let hasMore = true; hasMore;) {
      const [result] = stores.commitBatch([step]);
      hasMore = result!.ok && result!.hasMore === true;
      steps.push(hasMore);
    }
    assert.equal(steps.length, 4);
    const upTo = { ...query, toMs: later.closedAt };
    assert.deepEqual(readUsageReport(database, upTo), whole);
    assert.equal(
      readUsageReport(database, { groupBy: ["key"] }).lines.reduce(
        (sum, { calls }) => sum + calls,
        0,
      ),
      CALLS + 1,
    );
    assert.deepEqual(stores.commitBatch([step]), [{ ok: true, hasMore: false }]);
    assert.deepEqual(readUsageReport(database, upTo), whole);
    database.close();
  });
});

Deno.test("nothing is missing of earlier calls, however many there are", async () => {
  for (const limit of [1, 10, CALLS - 1, CALLS, CALLS + 1]) {
    await withDatabasePath((path) => {
      const database = openDatabase(path);
      const stores = createStores(database, path);
      stores.commitBatch(ENTRIES);
      stores.writeSums();
      const query: UsageQuery = { groupBy: ["key", "endpoint", "hour"] };
      const whole = readUsageReport(database, query);
      const set = database.prepare("UPDATE meta SET value = ? WHERE name = ?");
      database.exec("DELETE FROM detail_hourly");
      set.run(String(CALLS), "detail_backfill_seq");
      set.run(String(sampleCall(CALLS).closedAt), "detail_whole_since");
      for (let hasMore = true; hasMore;) {
        const [result] = stores.commitBatch([{ kind: "backfill_details", limit }]);
        hasMore = result!.ok && result!.hasMore === true;
      }
      assert.deepEqual(readUsageReport(database, query), whole, `${limit} at a time`);
      assert.equal(whole.cut, undefined);
      database.close();
    });
  }
});
