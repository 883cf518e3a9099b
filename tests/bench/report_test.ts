/**
 * The bench's tables.
 *
 * @module
 */

import assert from "node:assert/strict";
import { formatTargets } from "../../bench/report.ts";

Deno.test("figures to reach have their aims, and what was before where that was measured", () => {
  const text = formatTargets([
    { what: "ratio", unit: "", atMost: 1.4, aim: 0.9, before: 2.5, measured: 1.5 },
    { what: "start", unit: "ms", atMost: 300, measured: 250 },
  ]);
  assert.deepEqual(text.split("\n").slice(2, 6), [
    "| figure to reach | wanted         | aim | before | measured |               |",
    "| --------------- | -------------- | --- | ------ | -------- | ------------- |",
    "| ratio           | at most 1.4    | 0.9 | 2.5    | 1.5      | missed by 0.1 |",
    "| start           | at most 300 ms |     |        | 250 ms   | reached       |",
  ]);
});

Deno.test("a run without an executable of before has no column for it", () => {
  const text = formatTargets([{ what: "ratio", unit: "", atMost: 1.4, measured: 1.5 }]);
  assert.match(text, /^\| figure to reach \| wanted +\| measured \| +\|$/m);
});
