/**
 * One look at a time, and one word of trouble that lasts.
 *
 * @module
 */

import assert from "node:assert/strict";
import { oneLook } from "../../src/domain/one_look.ts";

Deno.test("who asks while a look is under way gets none, and the next one after it", async () => {
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const asked: string[] = [];
  const look = oneLook((what: string) => {
    asked.push(what);
    return seen;
  }, (error) => assert.fail(String(error)));
  const first = look("first");
  await look("second");
  assert.deepEqual(asked, ["first"]);
  resolve();
  await first;
  await look("third");
  assert.deepEqual(asked, ["first", "third"]);
});

Deno.test("trouble is told once for as long as it lasts, and again after a look without", async () => {
  const troubles = [true, true, false, true];
  const told: unknown[] = [];
  const look = oneLook(
    () => troubles.shift() ? Promise.reject("away") : Promise.resolve(),
    (error) => told.push(error),
  );
  const counts: number[] = [];
  for (let looks = 0; looks < 4; looks++) {
    await look();
    counts.push(told.length);
  }
  assert.deepEqual(counts, [1, 1, 1, 2]);
});
