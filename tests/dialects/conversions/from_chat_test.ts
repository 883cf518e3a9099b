/**
 * A chat over an upstream that speaks something else: what is carried, and what is refused by name
 * before anyone is asked.
 *
 * @module
 */

import assert from "node:assert/strict";
import { openaiChat } from "../../../src/dialects/openai_chat/dialect.ts";
import { EventQueue } from "../../../src/dialects/base/event_queue.ts";
import { fieldsOf } from "../../../src/dialects/turns/refusals.ts";
import type { TurnsRequest } from "../../../src/dialects/turns/turns_request.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { type Conversion, convertCall } from "../../../src/providers/converted_exchange.ts";
import { countedIds, NOW_SECONDS } from "../../support/converted_response.ts";
import { chatRoute } from "../../support/provider_parts.ts";
import { sealOf } from "../../support/thought_seals.ts";

const MESSAGES = [{ role: "user", content: "Hello" }];
const FUNCTION = { name: "f", description: "F", parameters: { type: "object" } };
const PARTS = {
  clock: { now: () => NOW_SECONDS * 1000, monotonic: () => 0 },
  ids: countedIds(),
  seal: sealOf,
};

/** A dialect of nobody's family, which has nothing but the neutral form. */
const TOY = {
  ...openaiChat,
  name: "toy",
  title: "toy talks",
  upstreams: {
    writeRequest: (request: TurnsRequest) => ({ request, ...fieldsOf(request.others, ["toy"]) }),
    answerReader: openaiChat.upstreams!.answerReader,
  },
} satisfies Conversion["to"];
const FROM = openaiChat as Conversion["from"];

function asked(body: JsonObject, to: Conversion["to"] = TOY): JsonObject {
  const call = {
    route: chatRoute(),
    body: { model: "m", messages: MESSAGES, ...body },
    outputTokensCap: undefined,
  };
  return convertCall(call, { from: FROM, to }).call.body;
}

function toy(body: JsonObject): TurnsRequest {
  return asked(body).request as TurnsRequest;
}

const REFUSED: readonly (readonly [field: string, value: unknown])[] = [
  ["n", 2],
  ["modalities", ["text", "audio"]],
  ["audio", { voice: "alloy", format: "wav" }],
  ["web_search_options", {}],
  ["response_format", { type: "xml" }],
  ["top_logprobs", 3],
  ["temperature", "warm"],
  ["vendor_field", { a: [1] }],
];
for (const [field, value] of REFUSED) {
  Deno.test(`a chat's ${field} of ${JSON.stringify(value)} is refused by name where it cannot be said`, () => {
    assert.throws(() => asked({ [field]: value }), (error: JsonObject) => {
      const { failure, status, code, param, publicMessage } = error;
      assert.deepEqual([failure, status, code], ["caller", 400, "not_supported"]);
      assert.ok((param as string).startsWith(field), String(param));
      assert.match(publicMessage as string, /toy talks only.*chat completions/);
      return true;
    });
    const upstreams = openaiChat.upstreams!;
    const back = asked({ [field]: value }, { ...openaiChat, upstreams });
    assert.deepEqual(back[field], value, "chat itself has it");
  });
}

Deno.test("what a chat says that changes nothing of its answer's meaning is left out elsewhere", () => {
  const request = toy({
    ...{ n: 1, modalities: ["text"], logit_bias: { 5: 1 }, prediction: { type: "content" } },
    ...{ stream: true, stream_options: { include_usage: true }, store: true, metadata: { a: "b" } },
    ...{ response_format: { type: "text" }, logprobs: false, top_logprobs: 0, audio: null },
    ...{ prompt_cache_key: "k", safety_identifier: "s", service_tier: "flex", vendor: null },
  });
  assert.deepEqual(request.others, []);
});

Deno.test("the old spelling of tools is carried: offers, choice, calls and their outputs", () => {
  const request = toy({
    functions: [FUNCTION],
    function_call: { name: "f" },
    messages: [
      ...MESSAGES,
      { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a":1}' } },
      { role: "function", name: "f", content: "did it" },
    ],
  });
  const [offered] = request.tools;
  assert.deepEqual({ ...offered, at: "" }, { kind: "function", ...FUNCTION, at: "" });
  assert.deepEqual(request.choice, { mode: "named", tool: { kind: "function", name: "f" } });
  assert.equal(request.parallelCalls, false);
  const [, called, did] = request.turns.map(({ blocks: [block] }) =>
    block as unknown as JsonObject
  );
  assert.deepEqual([called!.type, called!.name, called!.input], ["call", "f", '{"a":1}']);
  assert.deepEqual([did!.type, did!.id], ["result", called!.id]);
  assert.deepEqual(request.others, []);
  assert.equal(toy({ functions: [FUNCTION], function_call: "none" }).choice?.mode, "none");
});

Deno.test("an output of a function that was not called is refused by its place", () => {
  assert.throws(
    () => toy({ messages: [...MESSAGES, { role: "function", name: "f", content: "x" }] }),
    { param: "messages[1].name" },
  );
});

for (const isStreamed of [true, false]) {
  Deno.test(`who offers functions is told calls as it knows them (stream: ${isStreamed})`, () => {
    const events = isStreamed ? new EventQueue() : undefined;
    const writer = FROM.callers.answerWriter({ functions: [FUNCTION] }, PARTS, events);
    writer.begin({ id: "x", model: "m", created: 1 });
    writer.open(0, { type: "call", kind: "function", id: "call_1", name: "f" });
    writer.write(0, '{"a":');
    writer.write(0, "1}");
    writer.close(0, { isCut: false });
    writer.finish("calls");
    writer.end();
    const [choice] = writer.whole.choices as [JsonObject];
    assert.equal(choice.finish_reason, "function_call");
    const { function_call, tool_calls } = choice.message as JsonObject;
    assert.deepEqual(function_call, { name: "f", arguments: '{"a":1}' });
    assert.equal(tool_calls, undefined);
    const deltas = events?.take().map(({ chunk }) => (chunk.choices as [JsonObject])[0].delta);
    assert.deepEqual(
      deltas?.slice(1),
      isStreamed
        ? [
          { function_call: { name: "f", arguments: "" } },
          { function_call: { arguments: '{"a":' } },
          { function_call: { arguments: "1}" } },
          {},
        ]
        : undefined,
    );
  });
}
