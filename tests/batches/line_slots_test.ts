/**
 * Whose line is asked next.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LineSlots } from "../../src/batches/line_slots.ts";

/** Takes places; `given` tells which lines have theirs. */
function takers(places: number) {
  const slots = new LineSlots(places);
  const given: string[] = [];
  const take = (projectId: string, count: number) => {
    for (let line = 1; line <= count; line++) {
      void slots.take(projectId).then(() => given.push(`${projectId} ${line}`));
    }
  };
  /** Those since the last look. */
  const look = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return given.splice(0);
  };
  return { slots, take, look };
}

Deno.test("projects have places in turn, however many lines of one wait", async () => {
  const { slots, take, look } = takers(4);
  take("many", 5);
  take("few", 2);
  assert.deepEqual(await look(), ["many 1", "many 2", "few 1"]);
  slots.give("many");
  assert.deepEqual(await look(), ["many 3"]);
  slots.give("few");
  assert.deepEqual(await look(), ["few 2"]);
  slots.give("few");
  // Alone it has half of all again.
  slots.give("many");
  slots.give("many");
  assert.deepEqual(await look(), ["many 4", "many 5"]);
});

Deno.test("whose lines all stall has half of what the others leave, and the next finds a place", async () => {
  const { slots, take, look } = takers(16);
  for (const [project, places] of [["a", 8], ["b", 4], ["c", 2], ["d", 1], ["e", 1]] as const) {
    take(project, 100);
    assert.equal((await look()).length, places, project);
  }
  take("f", 1);
  assert.deepEqual(await look(), []);
  slots.give("a");
  assert.deepEqual(await look(), ["f 1"]);
});

Deno.test("one place is there for everybody", async () => {
  const { slots, take, look } = takers(1);
  take("a", 1);
  take("b", 1);
  assert.deepEqual(await look(), ["a 1"]);
  slots.give("a");
  assert.deepEqual(await look(), ["b 1"]);
});
