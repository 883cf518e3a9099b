/**
 * How a JSON body is read.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { readJson } from "../../../src/http/bodies/read_json.ts";
import { receivedRequest } from "../../support/received_request.ts";

const ROOM = { reserve() {}, release() {} };
const LIMITS = { maxBytes: 20_000_000, maxDepth: 100, budget: ROOM };

function request(body: string): Request {
  return receivedRequest({ headers: { "content-type": "application/json" }, body });
}

/** Turns of the event loop that others have while a body is parsed: after its bytes were taken. */
async function turnsOfOthers(body: string): Promise<number> {
  let turns = 0;
  let ended = false;
  let budget = { ...ROOM };
  const begun = new Promise<void>((resolve) => budget = { ...ROOM, reserve: () => resolve() });
  const read = readJson(request(body), { ...LIMITS, budget }).then(() => ended = true);
  await begun;
  const count = () => {
    if (ended) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  await read;
  return turns;
}

Deno.test("readJson() gives the value of a body of any size", async () => {
  for (const text of ["short", "long ".repeat(400_000), "雪".repeat(300_000)]) {
    const body = JSON.stringify({ text, list: [1, { two: null }] });
    const { value, bytes } = await readJson(request(body), LIMITS);
    assert.equal(JSON.stringify(value) === body, true);
    assert.equal(bytes, new TextEncoder().encode(body).length);
  }
});

Deno.test("readJson() finds the same faults in bodies of any size", async () => {
  for (const filler of ["", "x".repeat(2_000_000)]) {
    const deep = `{"filler":"${filler}","deep":${"[".repeat(200)}${"]".repeat(200)}}`;
    await assert.rejects(readJson(request(deep), LIMITS), /nested more than 100 levels/);
    const cut = `{"filler":"${filler}",`;
    await assert.rejects(readJson(request(cut), LIMITS), /The body is not valid JSON/);
  }
});

Deno.test("readJson() lets others have a turn between the steps of a large body", async () => {
  assert.ok(await turnsOfOthers(JSON.stringify({ text: "long ".repeat(400_000) })) >= 4);
});
