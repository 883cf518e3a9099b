import assert from "node:assert/strict";
import { openDatabase } from "../../src/storage/sqlite/database.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { sampleClosedCall, sampleOpenCall, sampleProject } from "../conformance/storage_samples.ts";
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

Deno.test("usage report by a tag that no call has says so, and which there are", async () => {
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir, { recursive: true });
    const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
    const at = Date.UTC(2026, 0, 1);
    for (const callId of [1, 2]) {
      const tags = callId === 1 ? { team: "search" } : undefined;
      const call = {
        ...{ callId, requestId: `req_${callId}`, openedAt: at, heldE8: 0n, unlimited: true },
        ...(tags && { tags }),
      };
      const results = await storage.commitBatch([
        ...(callId === 1 ? [{ kind: "create_project", project: sampleProject() } as const] : []),
        { kind: "hold", call: sampleOpenCall(call) },
        { kind: "close", call: sampleClosedCall({ ...call, closedAt: at, chargedE8: 0n }) },
      ]);
      assert.deepEqual(results.filter(({ ok }) => !ok), []);
    }
    await storage.close();
    const none = await runCommand(["usage", "report", "--by", "tag:job", "--data-dir", dataDir]);
    assert.deepEqual([none.code, none.stdout], [0, ""], none.stderr);
    assert.match(none.stderr, /^No call of this time has this tag$/m);
    assert.match(
      none.stderr,
      /^2 calls have no such tag and are left out; there are the tags team$/m,
    );
    const some = await runCommand(["usage", "report", "--by", "tag:team", "--data-dir", dataDir]);
    assert.match(some.stdout, /^search +1 /m);
    assert.match(some.stderr, /^1 call has no such tag and is left out$/m);
    assert.doesNotMatch(some.stderr, /there are the tags/);
    const before = ["--to", "2025-12-31"];
    const nothing = await runCommand([
      ...["usage", "report", "--by", "tag:team", "--data-dir", dataDir],
      ...before,
    ]);
    assert.match(nothing.stderr, /^No calls in this time$/m);
    assert.doesNotMatch(nothing.stderr, /left out/);
  });
});
