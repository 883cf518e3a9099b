import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import type { UsageQuery, UsageReport, UsageTotals } from "../../../src/storage/ports/usage.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { OldSums } from "../../../src/storage/sqlite/old_sums.ts";
import { readUsageReport, usageSteps } from "../../../src/storage/sqlite/usage_report.ts";
import type { UsageReportOptions } from "../../../src/storage/sqlite/usage_slices.ts";
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

Deno.test("readUsageReport() says that lines are left out where one hour has more than it may have", async () => {
  await withHours([0, 30], (report) => {
    const query: UsageQuery = { groupBy: ["project", "model"] };
    const whole = report(query).lines;
    const { lines, cut } = report(query, { mostLines: 5, sliceRows: 8 });
    assert.deepEqual(lines, whole.slice(0, 5));
    assert.deepEqual(cut, { reason: "rows" });
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
    for (; result.done !== true; turns++) {
      // An open transaction would keep the log from beginning anew.
      assert.equal(database.isTransaction, false);
      result = steps.next();
    }
    assert.equal(turns > 9, true);
    assert.equal(callsOf(result.value.lines), 3 * PROJECTS * MODELS);
    database.close();
  });
});

/** Says that the calls of everything before an hour are archived. */
function archiveBefore(database: DatabaseSync, hour: number): void {
  database.exec(`INSERT INTO ledger VALUES (1, 'p', 'credit', 1, 1, NULL, NULL, 0, 0)`);
  database.prepare(
    `INSERT INTO checkpoints VALUES (1, 1, 0, 0, 0, ?, 'x', '{}', '${"a".repeat(64)}')`,
  ).run((NEW_YEAR + hour) * HOUR_MS);
}

const MOVED: readonly UsageQuery[] = [
  { groupBy: ["day", "project", "model", "provider", "route"] },
  { groupBy: ["model"], projectId: "project-3" },
  { groupBy: ["day"], projectId: "project-3", model: "model-1" },
  { groupBy: [], fromMs: (NEW_YEAR + 24) * HOUR_MS, toMs: (NEW_YEAR + 96) * HOUR_MS },
  // From and to the middle of days that are not archived.
  { groupBy: ["day"], fromMs: (NEW_YEAR + 77) * HOUR_MS, toMs: (NEW_YEAR + 97) * HOUR_MS },
];

Deno.test("usageSteps() adds up the same while hours are moved to their days beside it", async () => {
  await withDatabasePath((path) => {
    const writer = openDatabase(path);
    const reader = openDatabase(path);
    writer.exec("PRAGMA synchronous = OFF");
    const hours = Array.from({ length: 100 }, (_, hour) => hour).filter((hour) => hour % 5 !== 2);
    writer.exec("BEGIN");
    addHours(writer, hours);
    writer.exec("COMMIT");
    const wholes = MOVED.map((query) => readUsageReport(reader, query));
    archiveBefore(writer, 73);
    const sums = new OldSums(writer);
    const count = (sql: string) => Number(writer.prepare(`SELECT count(*) AS n ${sql}`).get()!.n);
    for (const [index, query] of MOVED.entries()) {
      for (const sliceRows of [20, 200, 10_000]) {
        for (const moved of [60, 700]) {
          writer.exec("BEGIN; DELETE FROM usage_hourly; DELETE FROM usage_daily");
          addHours(writer, hours);
          writer.exec("COMMIT");
          const steps = usageSteps(reader, query, { sliceRows });
          // Before it begins, then between all of its slices.
          sums.compact(moved);
          let step = steps.next();
          for (; step.done !== true; step = steps.next()) sums.compact(moved);
          assert.deepEqual(
            step.value,
            wholes[index],
            `${index}: ${sliceRows} rows, ${moved} moved`,
          );
          assert.equal(reader.isTransaction, false);
          while (sums.compact(moved));
          assert.equal(count(`FROM usage_hourly WHERE hour < ${NEW_YEAR + 72}`), 0);
          assert.equal(count("FROM usage_daily"), 3 * PROJECTS * MODELS);
          assert.deepEqual(readUsageReport(reader, query, { sliceRows }), wholes[index]);
        }
      }
    }
    writer.close();
    reader.close();
  });
});

Deno.test("readUsageReport() of a part of a day that is kept as a whole tells of nothing else", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    addHours(database, [0, 5, 30, 50, 80]);
    archiveBefore(database, 48);
    const at = (hour: number) => (NEW_YEAR + hour) * HOUR_MS;
    const report = (query: Partial<UsageQuery>) =>
      readUsageReport(database, { groupBy: [], ...query });
    // As long as the hours are there, they are told.
    assert.equal(callsOf(report({ fromMs: at(1), toMs: at(40) }).lines), 2 * PROJECTS * MODELS);
    const sums = new OldSums(database);
    while (sums.compact(10));
    const only = (edge: "from" | "to", day: number) => ({
      lines: [],
      cut: { reason: "days", edge, dayMs: at(day * 24) },
    });
    assert.deepEqual(report({ fromMs: at(1) }), only("from", 0));
    assert.deepEqual(report({ fromMs: at(25), toMs: at(40) }), only("from", 1));
    assert.deepEqual(report({ toMs: at(40) }), only("to", 1));
    for (
      const [query, hours] of [
        [{ fromMs: at(0), toMs: at(48) }, 3],
        [{ fromMs: at(24) }, 3],
        [{ fromMs: at(51), toMs: at(81) }, 1],
        // Of a day without calls every hour is known.
        [{ fromMs: at(-5) }, 5],
      ] as const
    ) {
      const { lines, cut } = report(query);
      assert.deepEqual([callsOf(lines), cut], [hours * PROJECTS * MODELS, undefined]);
    }
    database.close();
  });
});

Deno.test("readUsageReport() that takes too long in a day that is partly moved leaves all of it out", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    addHours(database, [0, 1, 2, 24]);
    archiveBefore(database, 24);
    new OldSums(database).compact(PROJECTS * MODELS);
    let time = 0;
    const { lines, cut } = readUsageReport(database, { groupBy: [], withinMs: 3 }, {
      sliceRows: PROJECTS * MODELS,
      now: () => time++,
    });
    assert.equal(callsOf(lines), PROJECTS * MODELS);
    assert.deepEqual(cut, { reason: "time", fromMs: (NEW_YEAR + 24) * HOUR_MS });
    database.close();
  });
});
