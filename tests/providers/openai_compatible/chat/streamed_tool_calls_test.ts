import assert from "node:assert/strict";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import { type Reply, sseReply, startFakeUpstream } from "../../../support/fake_upstream.ts";
import {
  chatCall,
  chunk,
  never,
  openAiCompatible,
  readAll,
} from "../../../support/provider_parts.ts";

async function deltasOf(reply: Reply): Promise<JsonObject[]> {
  await using upstream = await startFakeUpstream(reply);
  const provider = openAiCompatible(upstream.url);
  const events = await readAll(await provider.speaks.openai_chat.stream(chatCall(), never()));
  return events.flatMap(({ chunk }) =>
    (chunk.choices as { delta: JsonObject }[]).map((choice) => choice.delta)
  );
}

Deno.test("Kimi: tool calls without an index are numbered in order of first sight", async () => {
  const part = (call: JsonObject) => chunk({}, { delta: { tool_calls: [call] } });
  const deltas = await deltasOf(sseReply([
    part({ id: "a", type: "function", function: { name: "f", arguments: "" } }),
    part({ function: { arguments: '{"x"' } }),
    part({ id: "", type: null, function: { name: null, arguments: ":1}" } }),
    part({ id: "b", function: { name: "g" } }),
    part({ function: { arguments: "{}" } }),
    chunk({}, { finish_reason: "tool_calls" }),
    "[DONE]",
  ]));
  assert.deepEqual(deltas.slice(0, 5).map((delta) => (delta.tool_calls as unknown[])[0]), [
    { id: "a", type: "function", function: { name: "f", arguments: "" }, index: 0 },
    { function: { arguments: '{"x"' }, index: 0 },
    { function: { arguments: ":1}" }, index: 0 },
    { id: "b", type: "function", function: { name: "g", arguments: "" }, index: 1 },
    { function: { arguments: "{}" }, index: 1 },
  ]);
});

Deno.test("deltas of one chunk that name no call go on with the calls at their positions", async () => {
  const parts = (...calls: JsonObject[]) => chunk({}, { delta: { tool_calls: calls } });
  const deltas = await deltasOf(sseReply([
    parts({ id: "a", function: { name: "f" } }, { id: "b", function: { name: "g" } }),
    parts({ function: { arguments: '{"x"' } }, { function: { arguments: '{"y"' } }),
    parts({ function: { arguments: ":1}" } }, { function: { arguments: ":2}" } }),
    parts({ function: { arguments: " " } }),
    chunk({}, { finish_reason: "tool_calls" }),
    "[DONE]",
  ]));
  const calls = deltas.slice(1, 4).map((delta) => delta.tool_calls);
  assert.deepEqual(calls, [
    [{ function: { arguments: '{"x"' }, index: 0 }, { function: { arguments: '{"y"' }, index: 1 }],
    [{ function: { arguments: ":1}" }, index: 0 }, { function: { arguments: ":2}" }, index: 1 }],
    [{ function: { arguments: " " }, index: 1 }],
  ]);
});

Deno.test("Anthropic's endpoint: tool calls that start at index 1 are numbered from 0", async () => {
  const part = (call: JsonObject) => chunk({}, { delta: { tool_calls: [call] } });
  const deltas = await deltasOf(sseReply([
    part({ index: 1, id: "a", type: "function", function: { name: "f", arguments: "" } }),
    part({ index: 1, function: { arguments: "{}" } }),
    part({ index: 3, id: "b", type: "function", function: { name: "g", arguments: "" } }),
    part({ index: 1, function: { arguments: " " } }),
    part({ index: 3, function: { arguments: "{}" } }),
    chunk({}, { finish_reason: "tool_calls" }),
    "[DONE]",
  ]));
  const numbers = deltas.slice(0, 5)
    .map((delta) => (delta.tool_calls as { index: number }[])[0]!.index);
  assert.deepEqual(numbers, [0, 0, 1, 0, 1]);
});

Deno.test("several tool calls under one index are told apart by id and name", async () => {
  const call = (id: string, name: string) => ({
    index: 0,
    id,
    type: "function",
    function: { name, arguments: "{}" },
  });
  const deltas = await deltasOf(sseReply([
    chunk({}, { delta: { tool_calls: [call("a", "f"), call("b", "f")] } }),
    chunk({}, { delta: {}, finish_reason: "tool_calls" }),
    "[DONE]",
  ]));
  const calls = deltas[0]!.tool_calls as { index: number }[];
  assert.deepEqual(calls.map((one) => one.index), [0, 1]);
});

Deno.test("the tool calls of each choice are numbered on their own, and get an id and a type", async () => {
  const deltas = await deltasOf(sseReply([
    {
      ...chunk(),
      choices: [0, 1].map((index) => ({
        index,
        delta: { tool_calls: [{ index: 2, function: { name: "f", arguments: { a: index } } }] },
        finish_reason: "tool_calls",
      })),
    },
    "[DONE]",
  ]));
  for (const [index, delta] of deltas.entries()) {
    const [call] = delta.tool_calls as JsonObject[];
    assert.match(call!.id as string, /^call_\w{24}$/);
    assert.deepEqual({ ...call, id: "" }, {
      id: "",
      index: 0,
      type: "function",
      function: { name: "f", arguments: `{"a":${index}}` },
    });
  }
});
