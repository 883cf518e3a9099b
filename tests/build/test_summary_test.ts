/**
 * The closing line of a test run is counted correctly whatever its shape.
 *
 * @module
 */

import assert from "node:assert/strict";
import { formatTestCounts, readTestSummary } from "../../build/test_summary.ts";

Deno.test("readTestSummary() reads every shape of the closing line", () => {
  const shapes = [
    ["ok | 2 passed | 0 failed | 2 ignored (83ms)", { passed: 2, failed: 0, skipped: 2 }],
    ["ok | 12 passed (5 steps) | 0 failed (1s)", { passed: 12, failed: 0, skipped: 0 }],
    ["FAILED | 3 passed | 1 failed (2 steps) (9ms)", { passed: 3, failed: 1, skipped: 0 }],
    ["\x1b[32mok\x1b[0m | 1 passed | 0 failed (2ms)", { passed: 1, failed: 0, skipped: 0 }],
    ["ok | 0 passed | 0 failed | 4 filtered out (2ms)", { passed: 0, failed: 0, skipped: 0 }],
  ] as const;
  for (const [line, counts] of shapes) {
    assert.deepEqual(readTestSummary(`running 2 tests\n\n${line}\n\n`), counts, line);
  }
});

Deno.test("readTestSummary() takes the last summary and none for none", () => {
  const output = "ok | 9 passed | 0 failed (1ms)\nFAILED | 1 passed | 1 failed (1ms)\n";
  assert.deepEqual(readTestSummary(output), { passed: 1, failed: 1, skipped: 0 });
  assert.equal(readTestSummary("error: Type checking failed.\n"), undefined);
});

Deno.test("formatTestCounts() names skipped tests only when there are any", () => {
  assert.equal(formatTestCounts({ passed: 1, failed: 2, skipped: 0 }), "1 passed, 2 failed");
  assert.equal(
    formatTestCounts({ passed: 1, failed: 2, skipped: 3 }),
    "1 passed, 2 failed, 3 skipped",
  );
});
