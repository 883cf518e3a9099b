/**
 * Room and turns of projects whose calls are kept.
 *
 * @module
 */

import assert from "node:assert/strict";
import { PromptRoom, TakingTurns } from "../../src/prompts/prompt_room.ts";

const MI = 1024 ** 2;

function takenBy(room: PromptRoom, projectId: string): number {
  let taken = 0;
  while (room.take(projectId, MI)) taken++;
  return taken;
}

Deno.test("a project has a quarter of the room at most, and all of that again once it is given back", () => {
  const room = new PromptRoom();
  assert.equal(takenBy(room, "busy"), 16);
  for (let number = 0; number < 16; number++) room.give("busy", MI);
  assert.equal(takenBy(room, "busy"), 16);
});

Deno.test("projects that are busy leave room for one more", () => {
  const room = new PromptRoom();
  for (const busy of ["a", "b", "c", "d", "e"]) assert.ok(takenBy(room, busy) > 0, busy);
  assert.ok(room.take("quiet", MI));
});

Deno.test("one large piece alone may have more than a quarter, but half of what is left", () => {
  const room = new PromptRoom();
  assert.equal(room.take("films", 33 * MI), false);
  assert.equal(room.take("films", 32 * MI), true);
  assert.equal(room.take("films", 1), false);
  assert.equal(room.take("others", 16 * MI), true);
});

Deno.test("projects take turns, in the order of their first; what is dropped has none", () => {
  const turns = new TakingTurns<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) turns.add(item[0]!, item);
  assert.equal(turns.next(), "a1");
  assert.deepEqual(turns.drop("c"), ["c1"]);
  assert.deepEqual(Array.from({ length: 5 }, () => turns.next()), [
    "b1",
    "a2",
    "b2",
    "a3",
    undefined,
  ]);
});
