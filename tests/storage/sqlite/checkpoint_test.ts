/**
 * The schema lets go of archived rows, and of nothing else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { detailedUsageSteps } from "../../../src/storage/sqlite/detailed_usage.ts";
import type { UsageQuery } from "../../../src/storage/ports/usage.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Checkpoint } from "../../../src/domain/checkpoint.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import type { Storage } from "../../../src/storage/ports/storage.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "../../conformance/storage_samples.ts";
import {
  claimedTask,
  closedTaskCall,
  completedTask,
  createEntry,
  sampleTask,
} from "../../conformance/storage_video_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

const LATER = NOON_ISH + 86_400_000;

/** Ledger rows: 1 and 2 credits, 3 and 4 settle and loss of call 1, 5 film 2, 6 call 3, 7 a credit. */
async function fill(storage: Storage): Promise<void> {
  await fundProject(storage, 1_000n);
  const task = sampleTask({ callId: 2 });
  const results = await commitEach(storage, [
    { kind: "credit", projectId: "acme", amountE8: 9n, reference: "early", at: NOON_ISH },
    { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH },
    { kind: "close", call: sampleClosedCall({ callId: 1, lossE8: 3n }) },
    createEntry(task),
    { kind: "change_video", task: claimedTask(task) },
    {
      kind: "change_video",
      task: completedTask(claimedTask(task)),
      close: closedTaskCall(task),
    },
    { kind: "close", call: sampleClosedCall({ callId: 3, closedAt: LATER }) },
    { kind: "hold", call: sampleOpenCall({ callId: 4 }) },
    { kind: "credit", projectId: "acme", amountE8: 5n, reference: "late", at: LATER },
  ]);
  assert.deepEqual(new Set(words(results)), new Set(["ok"]));
  // Sums come from the rows, so those stay until the sums are written.
  await storage.writeSums();
}

function checkpoint(changes: Partial<Checkpoint> = {}): Extract<
  Entry,
  { readonly kind: "record_checkpoint" }
> {
  return {
    kind: "record_checkpoint",
    checkpoint: {
      number: 1,
      lastSeq: 5,
      firstCallId: 1,
      lastCallId: 2,
      calls: 2,
      beforeMs: LATER,
      file: "/archive.db",
      sha256: "a".repeat(64),
      ...changes,
    },
    document: JSON.stringify({ projects: { acme: { closing_e8: "940" } } }),
  };
}

async function withRows(
  run: (storage: Storage, raw: DatabaseSync) => Promise<void>,
): Promise<void> {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await fill(storage);
    await withRawDatabase(path, (raw) => run(storage, raw));
    await storage.close();
  });
}

const DELETES = [
  "DELETE FROM ledger WHERE seq = 1",
  "DELETE FROM ledger WHERE seq = 6",
  "DELETE FROM calls WHERE call_id = 1",
  "DELETE FROM calls WHERE call_id = 3",
  "DELETE FROM calls WHERE call_id = 4",
];

Deno.test("rows go only once a checkpoint has archived them", async () => {
  await withRows(async (storage, raw) => {
    for (const sql of DELETES) assert.throws(() => raw.exec(sql), /append-only|calls stay/, sql);
    assert.deepEqual(words([await commitOne(storage, checkpoint())]), ["ok"]);
    for (const sql of [DELETES[1]!, DELETES[3]!, DELETES[4]!]) {
      assert.throws(() => raw.exec(sql), /append-only|calls stay/, sql);
    }
    raw.exec(DELETES[0]!);
    raw.exec(DELETES[2]!);
    for (const sql of ["UPDATE ledger SET amount_e8 = 1", "UPDATE checkpoints SET file = 'x'"]) {
      assert.throws(() => raw.exec(sql), /append-only/, sql);
    }
    assert.throws(() => raw.exec("DELETE FROM checkpoints"), /append-only/);
  });
});

Deno.test("checkpoints follow each other, and none goes beyond the ledger", async () => {
  await withRows(async (storage) => {
    assert.deepEqual(words([await commitOne(storage, checkpoint({ number: 2 }))]), ["conflict"]);
    const beyond = await commitOne(storage, checkpoint({ lastSeq: 8 }));
    assert.match((beyond as { message: string }).message, /checkpoints follow each other/);
    assert.deepEqual(words([await commitOne(storage, checkpoint())]), ["ok"]);
    assert.deepEqual(words([await commitOne(storage, checkpoint())]), ["conflict"]);
    const again = await commitOne(storage, checkpoint({ number: 2 }));
    assert.equal(again.ok, false);
    assert.deepEqual((await storage.checkpoints.list()).map(({ number }) => number), [1]);
  });
});

Deno.test("drop_archived drops slice by slice, and keeps what is still needed", async () => {
  await withRows(async (storage) => {
    await commitOne(storage, { ...checkpoint() });
    assert.equal(await storage.checkpoints.hasLeftovers(), true);
    const drop = { kind: "drop_archived", limit: 3 } as const;
    const left = async () => (await storage.ledger.slice(0, 10)).map(({ seq }) => seq);
    const calls = async () => (await storage.calls.slice(0, 10)).map(({ callId }) => callId);
    const seen: unknown[] = [];
    for (let isOver = false; !isOver;) {
      const result = await commitOne(storage, drop);
      isOver = !(result as { hasMore: boolean }).hasMore;
      seen.push([await left(), await calls()]);
    }
    // The loss of call 1 outlives the call by a slice; the call of a film outlives its rows.
    assert.deepEqual(seen, [
      [[4, 5, 6, 7], [2, 3, 4]],
      [[6, 7], [2, 3, 4]],
      // Then the hourly sums of usage are compacted, those of spending dropped, and details compacted.
      [[6, 7], [2, 3, 4]],
      [[6, 7], [2, 3, 4]],
      [[6, 7], [2, 3, 4]],
      [[6, 7], [2, 3, 4]],
    ]);
    assert.deepEqual(await storage.checkpoints.keptCalls(0, 10), [2]);
    assert.equal(await storage.checkpoints.hasLeftovers(), false);

    const kept = { projectId: "acme", amountE8: 9n, reference: "early" } as const;
    assert.deepEqual(await storage.checkpoints.references(1), [kept]);
    const credit = { ...kept, kind: "credit", at: LATER } as const;
    assert.deepEqual(await commitOne(storage, credit), { ok: true, repeated: true });
    const other = await commitOne(storage, { ...credit, amountE8: 10n });
    assert.deepEqual(words([other]), ["conflict"]);

    // Once the film's task is gone, so is what was kept for it.
    const [task] = await storage.videos.list({ order: "asc", limit: 1 });
    await commitOne(storage, {
      kind: "delete_video",
      taskId: task!.id,
      revision: task!.revision,
    });
    await commitOne(storage, drop);
    assert.deepEqual(await calls(), [3, 4]);
    assert.deepEqual(await storage.checkpoints.keptCalls(0, 10), []);
  });
});

Deno.test("hourly sums of archived days become daily ones, a few at a time, and no others do", async () => {
  await withRows(async (storage, raw) => {
    const HOUR_MS = 3_600_000;
    const hours = Array.from({ length: 30 }, (_, hour) => LATER - (hour + 1) * HOUR_MS);
    await commitEach(storage, [
      { kind: "credit", projectId: "acme", amountE8: 9_000n, reference: undefined, at: LATER },
      ...hours.map((closedAt, index) => ({
        kind: "close",
        call: sampleClosedCall({ callId: 10 + index, closedAt }),
      } as const)),
    ]);
    await storage.writeSums();
    const usage = async () =>
      (await storage.calls.usageReport({ groupBy: ["day", "route"] })).lines;
    const before = await usage();
    const rows = (table: string) => raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n;
    const since = { month: LATER / HOUR_MS, day: LATER / HOUR_MS, hour: LATER / HOUR_MS };
    const spent = await storage.spending.sums(since);
    const dayOfLater = Math.floor(LATER / 86_400_000) * 24;
    const live = raw.prepare("SELECT * FROM usage_hourly WHERE hour >= ?");
    const liveSpend = raw.prepare("SELECT * FROM spend_hourly WHERE hour >= ?");
    const stays = [live.all(dayOfLater), liveSpend.all(dayOfLater)];
    const last = (await storage.ledger.slice(0, 100)).at(-1)!.seq;
    await commitOne(storage, checkpoint({ lastSeq: last, lastCallId: 39, beforeMs: LATER + 1 }));
    let hasMore = true;
    const hourly: unknown[] = [];
    while (hasMore) {
      const result = await commitOne(storage, { kind: "drop_archived", limit: 2 });
      assert.deepEqual(await usage(), before);
      hourly.push(rows("usage_hourly"));
      assert.equal(result.ok, true);
      hasMore = (result as { hasMore: boolean }).hasMore;
    }
    assert.equal(new Set(hourly).size > 3, true, `slice by slice: ${hourly}`);
    assert.deepEqual([live.all(0), liveSpend.all(0)], stays);
    assert.equal(rows("usage_daily"), before.length - 1);
    assert.deepEqual(await storage.spending.sums(since), spent);
    assert.equal(await storage.checkpoints.hasLeftovers(), false);
    // A clock that was set back: the next time it is compacted too.
    await commitOne(storage, {
      kind: "close",
      call: sampleClosedCall({ callId: 50, closedAt: hours[20]! }),
    });
    await storage.writeSums();
    const after = await usage();
    assert.notDeepEqual(after, before);
    assert.equal(await storage.checkpoints.hasLeftovers(), true);
    await commitOne(storage, { kind: "drop_archived", limit: 100 });
    assert.deepEqual(await usage(), after);
    assert.deepEqual(live.all(0), stays[0]);
  });
});

Deno.test("details of archived days become daily ones, a few at a time, and no others do", async () => {
  await withRows(async (storage, raw) => {
    const HOUR_MS = 3_600_000;
    const hours = Array.from({ length: 60 }, (_, hour) => LATER - (hour + 1) * HOUR_MS);
    await commitEach(storage, [
      { kind: "credit", projectId: "acme", amountE8: 9_000n, reference: undefined, at: LATER },
      ...hours.map((closedAt, index) => ({
        kind: "close",
        call: sampleClosedCall({
          callId: 10 + index,
          closedAt,
          keyId: index % 3 === 0 ? "third" : "other",
          capability: index % 2 === 0 ? "chat" : "embeddings",
        }),
      } as const)),
    ]);
    await storage.writeSums();
    const report = async (query: UsageQuery) => await storage.calls.usageReport(query);
    const questions: readonly UsageQuery[] = [
      { groupBy: ["day", "key", "endpoint"] },
      { groupBy: ["month"], hasDetails: true },
      { groupBy: ["key"], keyId: "third" },
      { groupBy: ["day", "key"], fromMs: Math.floor(hours[50]! / 86_400_000) * 86_400_000 },
    ];
    const answers = () => Promise.all(questions.map(report));
    const before = await answers();
    assert.ok(before.every(({ cut, lines }) => cut === undefined && lines.length > 0));
    const live = Math.floor(LATER / 86_400_000) * 24;
    const rows = (where: string) =>
      raw.prepare(`SELECT count(*) AS n FROM detail_hourly WHERE ${where}`).get()!.n as number;
    const liveHours = raw.prepare("SELECT * FROM detail_hourly WHERE hour >= ?").all(live);
    const ofHours = await report({ groupBy: ["hour"] });
    const last = (await storage.ledger.slice(0, 200)).at(-1)!.seq;
    await commitOne(storage, checkpoint({ lastSeq: last, lastCallId: 69, beforeMs: LATER + 1 }));
    const counts: number[] = [];
    for (let hasMore = true; hasMore;) {
      const result = await commitOne(storage, { kind: "drop_archived", limit: 2 });
      assert.deepEqual(await answers(), before, "whole days are right at every moment");
      counts.push(rows("true"));
      hasMore = (result as { hasMore: boolean }).hasMore;
    }
    assert.equal(new Set(counts).size > 3, true, `a few at a time: ${counts}`);
    assert.equal(rows(`hour < ${live} AND hour % 24 <> 0`), 0);
    const days = new Set(hours.map((at) => Math.floor(at / 86_400_000))).size - 1;
    assert.equal(
      rows(`hour < ${live}`) <= days * 4,
      true,
      "a row for each key and endpoint of a day",
    );
    assert.deepEqual(
      raw.prepare("SELECT * FROM detail_hourly WHERE hour >= ?").all(live),
      liveHours,
    );
    assert.equal(await storage.checkpoints.hasLeftovers(), false);

    // Hours that are no longer known apart are left out and told of, and so are parts of such days.
    const { cut, lines } = await report({ groupBy: ["hour"] });
    assert.deepEqual(cut, { reason: "hours", fromMs: live * HOUR_MS });
    const liveFrom = new Date(live * HOUR_MS).toISOString().slice(0, 19);
    assert.deepEqual(lines, ofHours.lines.filter(({ hour }) => hour! >= liveFrom));
    const part = { groupBy: ["key"], fromMs: live * HOUR_MS - 5 * HOUR_MS } as const;
    assert.deepEqual(await report(part), {
      lines: [],
      cut: { reason: "days", edge: "from", dayMs: (live - 24) * HOUR_MS },
    });
    assert.equal((await report({ groupBy: ["hour"], fromMs: live * HOUR_MS })).cut, undefined);
  });
});

Deno.test("a report of details is right while archived days are compacted between its slices", async () => {
  await withRows(async (storage, raw) => {
    const hours = Array.from({ length: 60 }, (_, hour) => LATER - (hour + 1) * 3_600_000);
    await commitEach(storage, [
      { kind: "credit", projectId: "acme", amountE8: 9_000n, reference: undefined, at: LATER },
      ...hours.map((closedAt, index) => ({
        kind: "close",
        call: sampleClosedCall({ callId: 10 + index, closedAt, keyId: `key_${index % 3}` }),
      } as const)),
    ]);
    await storage.writeSums();
    const query: UsageQuery = { groupBy: ["day", "key"] };
    const { lines: expected } = await storage.calls.usageReport(query);
    const last = (await storage.ledger.slice(0, 200)).at(-1)!.seq;
    await commitOne(storage, checkpoint({ lastSeq: last, lastCallId: 69, beforeMs: LATER + 1 }));
    for (let hasMore = true, round = 0; hasMore; round++) {
      const steps = detailedUsageSteps(raw, query, { sliceRows: 1 + round % 4 });
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) {
        const result = await commitOne(storage, { kind: "drop_archived", limit: 1 });
        hasMore = (result as { hasMore: boolean }).hasMore;
      }
      assert.deepEqual(step.value, { lines: expected, cut: undefined });
    }
  });
});

Deno.test("numbers of calls and rows go on when everything is archived", async () => {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await fundProject(storage, 1_000n);
    await commitEach(storage, [
      { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH },
      { kind: "close", call: sampleClosedCall({ callId: 7 }) },
    ]);
    await storage.writeSums();
    const [last] = (await storage.ledger.slice(0, 10)).slice(-1);
    const all = { lastSeq: last!.seq, lastCallId: 7, firstCallId: 7, calls: 1 };
    await commitOne(storage, checkpoint(all));
    for (let round = 0; round < 3; round++) {
      await commitOne(storage, { kind: "drop_archived", limit: 100 });
    }
    assert.deepEqual(await storage.ledger.slice(0, 10), []);
    assert.equal(await storage.calls.lastCallId(), 7);
    await commitOne(storage, { kind: "close", call: sampleClosedCall({ callId: 8 }) });
    assert.deepEqual((await storage.ledger.slice(0, 10)).map(({ seq }) => seq), [last!.seq + 1]);
    await storage.close();
  });
});
