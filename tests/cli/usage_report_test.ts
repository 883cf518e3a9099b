import assert from "node:assert/strict";
import { openDatabase } from "../../src/storage/sqlite/database.ts";
import { runCommand, withDataDir } from "./run_in_process.ts";

Deno.test("usage report with more lines than it may have prints the first ones, says so and fails", async () => {
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir, { recursive: true });
    const database = openDatabase(`${dataDir}/tollgate.db`);
    database.exec(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO usage_hourly
       SELECT 490000, printf('p%05d', i), 'm', 'p', 'p/m', 1, 2, 3, 4, 5, 6, 7 FROM n`,
    );
    database.close();
    const report = (...args: string[]) =>
      runCommand(["usage", "report", "--json", "--data-dir", dataDir, ...args]);
    const cut = await report("--by", "day,project");
    assert.equal(cut.code, 1);
    const lines = JSON.parse(cut.stdout);
    assert.equal(lines.length, 10_000);
    assert.equal(lines.at(-1).project, "p09999");
    assert.match(cut.stderr, /^The report is not whole\. .*narrow the dates/m);
    assert.doesNotMatch(cut.stderr, /internal_error|RangeError/);
    const whole = await report("--by", "day");
    assert.equal(whole.code, 0, whole.stderr);
    assert.deepEqual(JSON.parse(whole.stdout).map(({ calls }: { calls: number }) => calls), [
      10_001,
    ]);
  });
});
