import assert from "node:assert/strict";
import { readRequest } from "../../../src/dialects/openai_responses/read_request.ts";

const HI = { role: "user", content: "Hi" };

function update(effort: unknown, more: object = {}) {
  return { type: "configuration_update", reasoning: { effort }, ...more };
}

Deno.test("readRequest() has how much to think from what the conversation said last", () => {
  const asked = (...input: readonly object[]) =>
    readRequest({ model: "m", reasoning: { effort: "medium" }, input: [HI, ...input] });
  assert.equal(asked().effort, "medium");
  const { effort, turns } = asked(update("low", { id: "cu_1" }), update("high"));
  assert.equal(effort, "high");
  assert.equal(turns.length, 1);
  assert.equal(asked(update(7)).effort, "medium");
});

Deno.test("readRequest() leaves an update of anything else to who knows it", () => {
  const { turns, effort } = readRequest({ model: "m", input: [HI, update("low", { tools: [] })] });
  assert.equal(effort, undefined);
  const [block] = turns[1]!.blocks;
  assert.ok(block?.type === "other");
  assert.equal(block.what, "an input item of type 'configuration_update'");
});
