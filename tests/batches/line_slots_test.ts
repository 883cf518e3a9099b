/**
 * Whose line is asked next.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LineSlots } from "../../src/batches/line_slots.ts";

Deno.test("projects have places in turn, however many lines of one wait", async () => {
  const slots = new LineSlots(2);
  const given: string[] = [];
  const taken: Promise<void>[] = [];
  const take = (projectId: string, name: string) => {
    taken.push(slots.take(projectId).then(() => void given.push(name)));
  };
  for (let line = 1; line <= 5; line++) take("many", `many ${line}`);
  take("few", "few 1");
  take("few", "few 2");
  for (let count = 0; count < 5; count++) slots.give();
  await Promise.all(taken);
  assert.deepEqual(given, ["many 1", "many 2", "many 3", "few 1", "many 4", "few 2", "many 5"]);
  slots.give();
  slots.give();
  await slots.take("few");
  await slots.take("many");
});
