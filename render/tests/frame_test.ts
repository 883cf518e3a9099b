import assert from "node:assert/strict";
import { createFrame } from "../frame.ts";

Deno.test("createFrame() lays the three planes out one after another in one buffer", () => {
  const frame = createFrame(8, 4);
  assert.equal(frame.data.length, 8 * 4 * 3 / 2);
  frame.y.fill(1);
  frame.u.fill(2);
  frame.v.fill(3);
  assert.deepEqual([...frame.data], [
    ...Array(32).fill(1),
    ...Array(8).fill(2),
    ...Array(8).fill(3),
  ]);
});

for (const [width, height] of [[0, 2], [3, 2], [2, 5], [-2, 2], [2.5, 2], [NaN, 2]] as const) {
  Deno.test(`createFrame() refuses ${width}x${height}`, () => {
    assert.throws(() => createFrame(width, height), RangeError);
  });
}
