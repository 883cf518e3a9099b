/**
 * Whose line is asked next.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LineSlots } from "../../src/batches/line_slots.ts";

/** Takes places; `given` tells which lines have theirs. A line is `project`, or `project/model`. */
function takers(places: number) {
  const slots = new LineSlots(places);
  const given: string[] = [];
  const ownerOf = (name: string) => {
    const [projectId = "", model = "m"] = name.split("/");
    return { projectId, model };
  };
  const take = (name: string, count: number) => {
    for (let line = 1; line <= count; line++) {
      void slots.take(ownerOf(name)).then(() => given.push(`${name} ${line}`));
    }
  };
  const give = (name: string) => slots.give(ownerOf(name));
  /** Those since the last look. */
  const look = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return given.splice(0);
  };
  return { take, give, look };
}

Deno.test("projects have places in turn, however many lines of one wait", async () => {
  const { give, take, look } = takers(4);
  take("many", 5);
  take("few", 2);
  assert.deepEqual(await look(), ["many 1", "many 2", "few 1"]);
  give("many");
  assert.deepEqual(await look(), ["many 3"]);
  give("few");
  assert.deepEqual(await look(), ["few 2"]);
  give("few");
  // Alone it has half of all again.
  give("many");
  give("many");
  assert.deepEqual(await look(), ["many 4", "many 5"]);
});

Deno.test("whose lines all stall has half of what the others leave, and the next finds a place", async () => {
  const { give, take, look } = takers(16);
  const models = (project: string) => {
    for (const model of ["k", "l", "m", "n"]) take(`${project}/${model}-of-${project}`, 100);
  };
  for (const [project, places] of [["a", 8], ["b", 4], ["c", 2], ["d", 1], ["e", 1]] as const) {
    models(project);
    assert.equal((await look()).length, places, project);
  }
  take("f/m-of-a", 1);
  assert.deepEqual(await look(), []);
  give("a/k-of-a");
  assert.deepEqual(await look(), ["f/m-of-a 1"]);
});

Deno.test("a project's slow model leaves a quarter of the project's places to its others", async () => {
  const { give, take, look } = takers(16);
  take("a/slow", 100);
  assert.equal((await look()).length, 6, "three quarters of half of all");
  take("a/quick", 3);
  assert.deepEqual(await look(), ["a/quick 1", "a/quick 2"]);
  // What the quick model gives back is no place for the slow one.
  give("a/quick");
  assert.deepEqual(await look(), ["a/quick 3"]);
  give("a/quick");
  give("a/quick");
  assert.deepEqual(await look(), []);
  give("a/slow");
  assert.deepEqual(await look(), ["a/slow 7"]);
});

Deno.test("a model that stalls whole projects leaves a quarter of all places to other models", async () => {
  const { give, take, look } = takers(16);
  for (const project of ["a", "b", "c", "d", "e"]) take(`${project}/slow`, 100);
  assert.equal((await look()).length, 12);
  take("f/quick", 2);
  assert.deepEqual(await look(), ["f/quick 1", "f/quick 2"]);
  take("f/slow", 1);
  give("f/quick");
  assert.deepEqual(await look(), [], "a model's place goes to no more of its lines");
  // And to no other project's lines of that model either, till one of them is over.
  give("a/slow");
  assert.equal((await look()).length, 1);
});

Deno.test("the models of a project have its places in turn", async () => {
  const { give, take, look } = takers(8);
  take("a/k", 3);
  take("a/l", 3);
  assert.deepEqual(await look(), ["a/k 1", "a/k 2", "a/k 3", "a/l 1"]);
  give("a/k");
  give("a/k");
  assert.deepEqual(await look(), ["a/l 2", "a/l 3"]);
});

Deno.test("one place is there for everybody", async () => {
  const { give, take, look } = takers(1);
  take("a", 1);
  take("b", 1);
  assert.deepEqual(await look(), ["a 1"]);
  give("a");
  assert.deepEqual(await look(), ["b 1"]);
});
