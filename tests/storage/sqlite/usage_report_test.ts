import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import type { UsageQuery, UsageReport, UsageTotals } from "../../../src/storage/ports/storage.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import {
  readUsageReport,
  type UsageReportOptions,
  usageSteps,
} from "../../../src/storage/sqlite/usage_report.ts";
import { withDatabasePath } from "./temporary_database.ts";

const HOUR_MS = 3_600_000;
/** 2026-01-01T00:00Z in hours since the epoch. */
const NEW_YEAR = 490_896;
const PROJECTS = 7;
const MODELS = 5;

/** One call of each project and model in each hour; its tokens tell its hour. */
function addHours(database: DatabaseSync, hours: readonly number[]): void {
  const insert = database.prepare(
    "INSERT INTO usage_hourly VALUES (?, ?, ?, 'p', 'p/' || ?, 1, ?, 2, 3, 4, 5, 6)",
  );
  for (const hour of hours) {
    for (let project = 0; project < PROJECTS; project++) {
      for (let model = 0; model < MODELS; model++) {
        insert.run(NEW_YEAR + hour, `project-${project}`, `model-${model}`, model, hour);
      }
    }
  }
}

async function withHours(
  hours: readonly number[],
  run: (report: (query: UsageQuery, options?: UsageReportOptions) => UsageReport) => void,
): Promise<void> {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    addHours(database, hours);
    run((query, options) => readUsageReport(database, query, options));
    database.close();
  });
}

function callsOf(lines: readonly UsageTotals[]): number {
  return lines.reduce((sum, { calls }) => sum + calls, 0);
}

Deno.test("readUsageReport() adds up the same whatever a slice holds", async () => {
  const hours = [0, 1, 2, 23, 24, 25, 26, 700, 701, 2_000];
  await withHours(hours, (report) => {
    const queries: readonly UsageQuery[] = [
      { groupBy: [] },
      { groupBy: ["day", "project"] },
      { groupBy: ["model"] },
      { groupBy: ["project", "model", "provider", "route", "day"] },
      { groupBy: ["day"], projectId: "project-3" },
      { groupBy: ["model"], projectId: "project-3", model: "model-1" },
      { groupBy: ["project"], model: "model-1" },
      { groupBy: ["day"], fromMs: (NEW_YEAR + 1) * HOUR_MS, toMs: (NEW_YEAR + 25) * HOUR_MS },
    ];
    for (const query of queries) {
      const whole = report(query);
      assert.equal(whole.cut, undefined);
      // A row at a time, a part of an hour, an hour exactly, some hours.
      for (const sliceRows of [1, 8, PROJECTS * MODELS, 100]) {
        assert.deepEqual(report(query, { sliceRows }), whole, `slices of ${sliceRows} rows`);
      }
    }
    const all = report({ groupBy: [] }).lines;
    assert.equal(callsOf(all), hours.length * PROJECTS * MODELS);
    assert.equal(callsOf(report(queries[4]!).lines), hours.length * MODELS);
    assert.deepEqual(report(queries[4]!).lines.map(({ day, calls }) => [day, calls]), [
      ["2026-01-01", 4 * MODELS],
      ["2026-01-02", 3 * MODELS],
      ["2026-01-30", 2 * MODELS],
      ["2026-03-25", MODELS],
    ]);
    assert.equal(callsOf(report(queries[6]!).lines), hours.length * PROJECTS);
    assert.equal(callsOf(report(queries[7]!).lines), 4 * PROJECTS * MODELS);
    assert.deepEqual(report({ groupBy: [], projectId: "nobody" }), { lines: [], cut: undefined });
  });
});

Deno.test("readUsageReport() that takes too long has whole hours since the one it names", async () => {
  await withHours([0, 1, 2, 3], (report) => {
    for (const [sliceRows, turns, hours] of [[35, 3, 2], [10, 7, 1], [100, 1, 0]] as const) {
      let time = 0;
      const { lines, cut } = report({ groupBy: ["project"], withinMs: turns }, {
        sliceRows,
        now: () => time++,
      });
      assert.deepEqual(cut?.reason, "time");
      const fromMs = cut?.reason === "time" ? cut.fromMs : 0;
      assert.equal(callsOf(lines), hours * PROJECTS * MODELS, `slices of ${sliceRows} rows`);
      if (hours > 0) {
        assert.equal(fromMs, (NEW_YEAR + 4 - hours) * HOUR_MS);
        assert.deepEqual(report({ groupBy: ["project"], fromMs }), { lines, cut: undefined });
        const rest = report({ groupBy: ["project"], toMs: fromMs });
        assert.equal(callsOf(rest.lines), (4 - hours) * PROJECTS * MODELS);
      }
    }
  });
});

Deno.test("readUsageReport() with more lines than it may have keeps the first ones whole, and says so", async () => {
  await withHours(Array.from({ length: 50 }, (_, hour) => hour), (report) => {
    const query: UsageQuery = { groupBy: ["project", "model", "day"] };
    const whole = report(query).lines;
    assert.equal(whole.length, 3 * PROJECTS * MODELS);
    for (const mostLines of [1, 4, whole.length - 1]) {
      const { lines, cut } = report(query, { mostLines, sliceRows: 50 });
      assert.deepEqual(cut, { reason: "rows" });
      assert.deepEqual(lines, whole.slice(0, mostLines));
    }
    assert.equal(report(query, { mostLines: whole.length }).cut, undefined);
  });
});

Deno.test("usageSteps() stops between slices, and sees what is written meanwhile once", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    addHours(database, [0, 1, 2]);
    const steps = usageSteps(database, { groupBy: [] }, { sliceRows: 10 });
    assert.equal(steps.next().done, false);
    addHours(database, [3]);
    let result = steps.next();
    let turns = 1;
    for (; result.done !== true; turns++) result = steps.next();
    assert.equal(turns > 9, true);
    assert.equal(callsOf(result.value.lines), 3 * PROJECTS * MODELS);
    database.close();
  });
});
