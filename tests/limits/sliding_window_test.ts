/**
 * A count over the last 60 seconds, exact at its edges.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SlidingWindow } from "../../src/limits/sliding_window.ts";
import { WINDOW_SECONDS } from "../../src/limits/window.ts";
import { seededRandom } from "../support/catalogue_parts.ts";

Deno.test("SlidingWindow counts a second for exactly sixty of them", () => {
  const window = new SlidingWindow(100);
  window.add(100, 3);
  assert.equal(window.sum(159), 3);
  assert.equal(window.sum(160), 0);
});

Deno.test("SlidingWindow lets each second go by itself", () => {
  const window = new SlidingWindow(0);
  for (let second = 0; second < 60; second++) window.add(second, 1);
  assert.equal(window.sum(59), 60);
  for (let second = 60; second < 120; second++) {
    assert.equal(window.sum(second), 119 - second, `second ${second}`);
  }
});

Deno.test("SlidingWindow takes corrections in a past second, and none beyond the window", () => {
  const window = new SlidingWindow(0);
  window.add(0, 100);
  window.add(30, 10);
  window.add(0, -60);
  assert.equal(window.sum(30), 50);
  assert.equal(window.sum(60), 10);
  window.add(0, 1_000);
  assert.equal(window.sum(60), 10);
  assert.equal(window.sum(90), 0);
});

Deno.test("SlidingWindow says when the sum will have fallen", () => {
  const window = new SlidingWindow(10);
  window.add(10, 5);
  window.add(20, 5);
  window.add(30, 5);
  assert.equal(window.secondWithAtMost(15, 30), 30);
  assert.equal(window.secondWithAtMost(14, 30), 70);
  assert.equal(window.secondWithAtMost(10, 30), 70);
  assert.equal(window.secondWithAtMost(9, 30), 80);
  assert.equal(window.secondWithAtMost(0, 30), 90);
  assert.equal(window.secondWithAtMost(0, 200), 200);
});

Deno.test("SlidingWindow equals a list of events, whatever the gaps", () => {
  const random = seededRandom(17);
  for (let round = 0; round < 200; round++) {
    let second = Math.floor(random() * 1_000) - 500;
    const window = new SlidingWindow(second);
    const events: { second: number; amount: number }[] = [];
    const sumAt = (at: number) =>
      events.reduce(
        (sum, event) => sum + (at - event.second < WINDOW_SECONDS ? event.amount : 0),
        0,
      );
    for (let step = 0; step < 100; step++) {
      second += Math.floor(random() * random() * 130);
      const amount = Math.floor(random() * 50);
      events.push({ second, amount });
      window.add(second, amount);
      assert.equal(window.sum(second), sumAt(second), `round ${round}, step ${step}`);
      const most = Math.floor(random() * 100);
      let expected = second;
      while (sumAt(expected) > most) expected++;
      assert.equal(window.secondWithAtMost(most, second), expected, `round ${round}, step ${step}`);
    }
  }
});
