/**
 * Work that comes at any moment is done.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Work, WorkLoop } from "../../src/domain/work_loop.ts";

/** More turns of the microtask queue than any end of a loop takes. */
const TURNS = 12;

/** Work that counts; `fails` is asked before each step. */
function counting(fails: () => boolean = () => false) {
  const seen = { left: 0, done: 0, atOnce: 0, most: 0 };
  const work: Work = {
    isLeft: () => seen.left > 0,
    async step() {
      seen.most = Math.max(seen.most, ++seen.atOnce);
      await Promise.resolve();
      seen.atOnce--;
      if (fails()) throw new Error("the disk is away");
      seen.left--;
      seen.done++;
    },
  };
  return { seen, loop: new WorkLoop(work) };
}

for (let turns = 0; turns <= TURNS; turns++) {
  Deno.test(`WorkLoop does what comes ${turns} turns after it began`, async () => {
    const { seen, loop } = counting();
    seen.left = 1;
    void loop.run();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    seen.left++;
    void loop.run();
    for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
    assert.deepEqual(seen, { left: 0, done: 2, atOnce: 0, most: 1 });
    assert.equal(loop.isRunning, false);
  });
}

Deno.test("WorkLoop resolves once all is done that came meanwhile, and at once where nothing is left", async () => {
  const { seen, loop } = counting();
  await loop.run();
  assert.equal(seen.done, 0);
  seen.left = 1;
  const over = loop.run();
  seen.left = 3;
  assert.equal(loop.isRunning, true);
  await over;
  assert.deepEqual([seen.left, seen.done], [0, 3]);
});

Deno.test("WorkLoop ends with a step that fails, and goes on when it is asked again", async () => {
  let isAway = true;
  const { seen, loop } = counting(() => isAway);
  seen.left = 2;
  await assert.rejects(loop.run(), /the disk is away/);
  assert.equal(loop.isRunning, false);
  isAway = false;
  await loop.run();
  assert.deepEqual([seen.left, seen.done], [0, 2]);
});
