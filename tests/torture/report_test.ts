/**
 * @module
 */

import assert from "node:assert/strict";
import { faultsOf, markdownTable, resultLine, verdictOf } from "./report.ts";
import { RowFinding } from "./row_finding.ts";
import { tortureSize } from "./size.ts";

const commit = tortureSize("commit");
const full = tortureSize("full");

function endOf(found: RowFinding) {
  return { finding: JSON.parse(JSON.stringify(found)), error: undefined, milliseconds: 1_234 };
}

Deno.test("verdictOf() counts times at full size only, and all else at every size", () => {
  const slow = new RowFinding("1 call");
  slow.count("served", 1, { exactly: 1 });
  slow.time("p99", 120, { atMost: 100 });
  assert.equal(verdictOf(endOf(slow), commit), "pass");
  assert.equal(verdictOf(endOf(slow), full), "fail");
  assert.deepEqual(faultsOf(endOf(slow), full), ["p99 is 120 ms and should be ≤ 100 ms"]);
  assert.deepEqual(faultsOf(endOf(slow), commit), []);

  const wrong = new RowFinding("1 call");
  wrong.count("served", 2, { exactly: 1 });
  assert.equal(verdictOf(endOf(wrong), commit), "fail");

  const broken = new RowFinding("1 call");
  broken.require(false, "I2: a balance is negative");
  assert.equal(verdictOf(endOf(broken), commit), "fail");
  assert.deepEqual(faultsOf(endOf(broken), commit), ["I2: a balance is negative"]);

  const died = { finding: undefined, error: "it ended with code 1", milliseconds: 1 };
  assert.equal(verdictOf(died, commit), "fail");
  assert.deepEqual(faultsOf(died, commit), ["it ended with code 1"]);
});

Deno.test("RowFinding keeps the first sentences of many, and what an error says", async () => {
  const found = new RowFinding("many");
  found.requireNone(Array.from({ length: 30 }, (_, index) => `sentence ${index}`));
  await found.during("the calls", () => Promise.reject(new Error("no such host")));
  const faults = faultsOf(endOf(found), commit);
  assert.deepEqual([faults.length, faults[0], faults.at(-1)], [21, "sentence 0", "and 11 more"]);
  const other = new RowFinding("one");
  await other.during("the calls", () => Promise.reject(new Error("no such host")));
  assert.deepEqual(faultsOf(endOf(other), commit), ["the calls: no such host"]);
});

Deno.test("resultLine() and markdownTable() say what was tried, and what a skipped row needs", () => {
  const found = new RowFinding("2000 calls | at once");
  found.count("served", 100, { exactly: 100 });
  found.measure("memory", 12.345, { unit: "MB", atMost: 10 });
  const results = [
    { id: "R12", title: "overdraft", end: endOf(found), verdict: "pass" as const },
    { id: "R10", title: "clock", verdict: "skip" as const, needs: "libfaketime" },
  ];
  assert.deepEqual(results.map((result) => resultLine(result, full)), [
    "pass R12 overdraft (1.2 s): 2000 calls | at once; served 100 (= 100); " +
    "memory 12.3 MB (missed: ≤ 10 MB)",
    "skip R10 clock: needs libfaketime",
  ]);
  assert.equal(
    resultLine(results[0]!, commit),
    "pass R12 overdraft (1.2 s): 2000 calls | at once; served 100 (= 100); memory 12.3 MB",
    "a limit that does not bind is not printed",
  );
  assert.deepEqual(markdownTable(results, full).split("\n").slice(2), [
    "| R12 | overdraft | 2000 calls \\| at once | served 100 (= 100)<br>" +
    "memory 12.3 MB (missed: ≤ 10 MB) | pass | 1.2 s |",
    "| R10 | clock |  | needs libfaketime | skip |  |",
  ]);
});
