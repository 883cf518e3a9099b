/**
 * Calls of agents' tools that an upstream writes badly: cut anywhere, in turns, by odd names.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { convertedExchange } from "../../../src/providers/converted_exchange.ts";
import { chunk, finishChunk } from "../../support/chat_bodies.ts";
import { ChunkStream, countedIds, responseCall } from "../../support/converted_response.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { readAll } from "../../support/provider_parts.ts";
import { RESPONSES_OVER_CHAT } from "../../support/responses_over_chat.ts";

const INPUT = '*** Begin Patch\n-"two" 😀\\n\n+three\té\n';
const TOOLS = [
  { type: "custom", name: "patch" },
  { type: "namespace", name: "n", description: "", tools: [{ type: "custom", name: "say" }] },
  { type: "tool_search", execution: "client" },
];

function delta(index: number, called: object, id?: string): JsonObject {
  const call = { index, ...(id !== undefined && { id, type: "function" }), function: called };
  return chunk({ tool_calls: [call] });
}

async function events(
  chunks: readonly JsonObject[],
  tools: readonly unknown[] = TOOLS,
): Promise<readonly JsonObject[]> {
  const parts = { clock: new FakeClock(), ids: countedIds() };
  const { stream } = convertedExchange({ ...RESPONSES_OVER_CHAT, parts }, {
    answer: () => Promise.reject(new Error("It streams")),
    stream: () => Promise.resolve(new ChunkStream(chunks.map((one) => [one]))),
  });
  const converted = await stream(responseCall({ tools }), new AbortController().signal);
  return (await readAll(converted)).map(({ chunk }) => chunk);
}

function outputOf(all: readonly JsonObject[]): readonly JsonObject[] {
  return (all.at(-1)!.response as JsonObject).output as JsonObject[];
}

Deno.test("a call that is cut anywhere is never told as a whole one", async () => {
  const args = JSON.stringify({ input: INPUT });
  for (let at = 0; at < args.length; at++) {
    // A stream is of whole characters.
    if (!args.slice(0, at).isWellFormed()) continue;
    const all = await events([
      delta(0, { name: "patch", arguments: "" }, "c1"),
      delta(0, { arguments: args.slice(0, at) }),
      finishChunk("length"),
    ]);
    assert.equal(all.at(-1)!.type, "response.incomplete");
    const [item] = outputOf(all);
    assert.deepEqual([item!.type, item!.status], ["custom_tool_call", "incomplete"]);
    const told = all.filter(({ type }) => String(type).endsWith("input.delta"))
      .map(({ delta }) => delta).join("");
    assert.equal(told, item!.input);
    assert.ok(told.isWellFormed());
    // Before it is known to be the input, what came is told as it is.
    if (at > '{"input":"'.length) assert.ok(INPUT.startsWith(told), JSON.stringify(told));
  }
});

Deno.test("calls that are written in turns are kept apart", async () => {
  const one = JSON.stringify({ input: INPUT });
  const two = JSON.stringify({ input: "two" });
  const chunks = [
    delta(0, { name: "patch", arguments: "" }, "c1"),
    delta(1, { name: "n__say", arguments: "" }, "c2"),
    delta(2, { name: "tool_search", arguments: '{"query":' }, "c3"),
  ];
  for (let at = 0; at < one.length; at += 2) {
    chunks.push(delta(0, { arguments: one.slice(at, at + 2) }));
    if (at < two.length) chunks.push(delta(1, { arguments: two.slice(at, at + 2) }));
  }
  chunks.push(delta(2, { arguments: '"mail"}' }), finishChunk("tool_calls"));
  const all = await events(chunks);
  assert.deepEqual(outputOf(all).map(({ id: _, ...item }) => item), [
    { type: "custom_tool_call", call_id: "c1", name: "patch", input: INPUT, status: "completed" },
    {
      type: "custom_tool_call",
      call_id: "c2",
      namespace: "n",
      name: "say",
      input: "two",
      status: "completed",
    },
    {
      type: "tool_search_call",
      call_id: "c3",
      execution: "client",
      arguments: { query: "mail" },
      status: "completed",
    },
  ]);
});

Deno.test("names that nobody should have are names like others", async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const tools = names.map((name) => ({
    type: "namespace",
    name,
    description: "",
    tools: names.map((name) => ({ type: "custom", name })),
  }));
  const all = await events([
    delta(0, { name: "__proto____constructor", arguments: '{"input":"a"}' }, "c1"),
    delta(1, { name: "__proto__", arguments: '{"input":"b"}' }, "c2"),
    delta(2, { name: "x".repeat(10_000), arguments: "{}" }, "c3"),
    finishChunk("tool_calls"),
  ], tools);
  assert.deepEqual(outputOf(all).map(({ type, name, namespace }) => [type, namespace, name]), [
    ["custom_tool_call", "__proto__", "constructor"],
    ["function_call", undefined, "__proto__"],
    ["function_call", undefined, "x".repeat(10_000)],
  ]);
});

Deno.test("a search whose arguments are no object asks for nothing", async () => {
  for (const args of ["", "mail", "[1]", "7", '{"query":"ma']) {
    const all = await events([
      delta(0, { name: "tool_search", arguments: args }, "c1"),
      finishChunk("tool_calls"),
    ]);
    assert.deepEqual(outputOf(all)[0]!.arguments, {});
  }
});
