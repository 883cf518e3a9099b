/**
 * Answers of a JSON schema from models that have no field for it: demanded as a call, and told as text.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import type { Answer, AnswerStream } from "../../../src/dialects/base/answer.ts";
import type { Supports } from "../../../src/domain/catalogue.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { MessageReader } from "../../../src/providers/anthropic/message_reader.ts";
import { type Conversion, convertedExchange } from "../../../src/providers/converted_exchange.ts";
import { countedIds } from "../../support/converted_response.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { chatRoute, never, readAll } from "../../support/provider_parts.ts";

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
};
const FORMAT = { type: "json_schema", json_schema: { name: "place", schema: SCHEMA } };
const TOOL = { type: "function", function: { name: "look", parameters: { type: "object" } } };
const CONVERSION: Conversion = {
  from: DIALECTS.openai_chat as Conversion["from"],
  to: DIALECTS.anthropic_messages,
  parts: { clock: new FakeClock(), ids: countedIds() },
};

interface Asked {
  readonly sent: JsonObject;
  readonly said: JsonObject;
  readonly streamed: readonly JsonObject[];
}

/** Asks once each way; the upstream answers with these blocks. */
async function ask(
  body: JsonObject,
  { blocks = [], model = "claude-sonnet-4-0", supports = {}, refuse = () => undefined }: {
    readonly blocks?: readonly JsonObject[];
    /** Why the upstream does not take a body. */
    readonly refuse?: (body: JsonObject) => UpstreamError | undefined;
    readonly model?: string;
    readonly supports?: Supports;
  } = {},
): Promise<Asked> {
  const bodies: JsonObject[] = [];
  const exchange = convertedExchange(CONVERSION, {
    answer({ body }): Promise<Answer> {
      const refusal = refuse(body);
      if (refusal !== undefined) return Promise.reject(refusal);
      bodies.push(body);
      const whole = { id: "msg_1", content: blocks, stop_reason: "tool_use", usage: {} };
      return Promise.resolve({ body: whole, usage: undefined, terms: undefined, text: () => "" });
    },
    stream({ body }): Promise<AnswerStream> {
      const refusal = refuse(body);
      if (refusal !== undefined) return Promise.reject(refusal);
      const events: Parameters<MessageReader["read"]>[2] = [];
      const reader = new MessageReader(undefined);
      for (const event of eventsOf(blocks)) reader.read(event, "", events);
      const reads = events.map((event) => [event]);
      return Promise.resolve({ next: () => Promise.resolve(reads.shift()), cancel() {} });
    },
  });
  const call = {
    route: chatRoute({ upstreamModel: model, supports }),
    body: { model: "m", messages: [{ role: "user", content: "Where?" }], ...body },
    outputTokensCap: undefined,
  };
  const { body: said } = await exchange.answer(call, never());
  const stream = await exchange.stream(call, never());
  const streamed = (await readAll(stream)).map(({ chunk }) => chunk);
  return { sent: bodies[0]!, said, streamed };
}

function eventsOf(blocks: readonly JsonObject[]): JsonObject[] {
  return [
    { type: "message_start", message: { id: "msg_1", usage: {} } },
    ...blocks.flatMap(({ input, ...block }, index) => {
      const text = JSON.stringify(input);
      const parts = input === undefined || text === "{}" ? [] : [text.slice(0, 4), text.slice(4)];
      return [
        { type: "content_block_start", index, content_block: { ...block, input: {} } },
        ...parts.map((partial_json) => ({
          type: "content_block_delta",
          index,
          delta: { type: "input_json_delta", partial_json },
        })),
        { type: "content_block_stop", index },
      ];
    }),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ];
}

function shownOf({ said, streamed }: Asked) {
  const [choice] = said.choices as { message: JsonObject; finish_reason: string }[];
  const choices = streamed.flatMap(({ choices }) => choices as JsonObject[]);
  const deltas = choices.map(({ delta }) => delta as JsonObject);
  return {
    whole: [choice!.message.content, choice!.finish_reason, choice!.message.tool_calls],
    stream: [
      deltas.map(({ content }) => content ?? "").join(""),
      choices.findLast(({ finish_reason: reason }) => reason !== null)?.finish_reason,
      deltas.some(({ tool_calls: calls }) => calls !== undefined),
    ],
  };
}

const CALL = { type: "tool_use", id: "t", name: "answer_in_json", input: { city: "Paris" } };

Deno.test("a schema is demanded of an older model as the one call that it may make", async () => {
  const asked = await ask({ response_format: FORMAT }, { blocks: [CALL] });
  const { tools, tool_choice, system, output_config } = asked.sent;
  const [tool] = tools as JsonObject[];
  assert.deepEqual([tool!.name, tool!.input_schema], ["answer_in_json", SCHEMA]);
  assert.deepEqual(tool_choice, {
    type: "tool",
    name: "answer_in_json",
    disable_parallel_tool_use: true,
  });
  assert.deepEqual([system, output_config], [undefined, undefined]);
  assert.deepEqual(shownOf(asked), {
    whole: ['{"city":"Paris"}', "stop", undefined],
    stream: ['{"city":"Paris"}', "stop", false],
  });
});

Deno.test("beside other tools it has to call one of them or to answer", async () => {
  const other = { type: "tool_use", id: "u", name: "look", input: {} };
  const asked = await ask({ response_format: FORMAT, tools: [TOOL] }, { blocks: [other] });
  assert.equal((asked.sent.tool_choice as JsonObject).type, "any");
  assert.equal((asked.sent.tools as unknown[]).length, 2);
  const { whole, stream } = shownOf(asked);
  assert.equal(whole[1], "tool_calls");
  assert.deepEqual(stream.slice(1), ["tool_calls", true]);
  const answered = shownOf(
    await ask({ response_format: FORMAT, tools: [TOOL] }, { blocks: [CALL] }),
  );
  assert.deepEqual(answered.whole, ['{"city":"Paris"}', "stop", undefined]);
});

Deno.test("a call without arguments is an empty object", async () => {
  const { whole, stream } = shownOf(
    await ask({ response_format: FORMAT }, { blocks: [{ ...CALL, input: {} }] }),
  );
  assert.deepEqual([whole[0], stream[0]], ["{}", "{}"]);
});

Deno.test("a tool of the caller's keeps its name", async () => {
  const own = { type: "function", function: { name: "answer_in_json" } };
  const { sent } = await ask({ response_format: FORMAT, tools: [own] });
  assert.deepEqual((sent.tools as JsonObject[]).map(({ name }) => name), [
    "answer_in_json",
    "answer_in_json_",
  ]);
});

Deno.test("a conversation whose thoughts its upstream does not take is asked to call, and told as text", async () => {
  const call = { id: "c", type: "function", function: { name: "look", arguments: "{}" } };
  const thoughts = {
    type: "reasoning.text",
    text: "Where?",
    signature: "theirs",
    format: "anthropic-claude-v1",
    index: 0,
  };
  const asked = await ask({
    response_format: FORMAT,
    reasoning_effort: "high",
    max_tokens: 20_000,
    tools: [TOOL],
    messages: [
      { role: "user", content: "Where?" },
      { role: "assistant", content: null, tool_calls: [call], reasoning_details: [thoughts] },
      { role: "tool", tool_call_id: "c", content: "Paris" },
    ],
  }, {
    blocks: [CALL],
    refuse: (body) =>
      JSON.stringify(body.messages).includes("theirs")
        ? new UpstreamError("caller", "refused", {
          status: 400,
          publicMessage: "Invalid `signature` in `thinking` block",
        })
        : undefined,
  });
  assert.equal((asked.sent.tool_choice as JsonObject).type, "any");
  assert.deepEqual(shownOf(asked), {
    whole: ['{"city":"Paris"}', "stop", undefined],
    stream: ['{"city":"Paris"}', "stop", false],
  });
});

const IN_WORDS: readonly (readonly [string, JsonObject, Supports?])[] = [
  ["a caller that demands a call itself", { tools: [TOOL], tool_choice: "required" }],
  ["a model that is to think", { reasoning_effort: "high" }],
  ["a model that cannot be made to call", {}, { forcedTools: false }],
  ["a route that says so", {}, { schemasBy: "words" }],
  ["a schema of no object", {
    response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "array" } } },
  }],
];

for (const [name, more, supports = {}] of IN_WORDS) {
  Deno.test(`a schema is said in words to ${name}`, async () => {
    const { sent } = await ask({ response_format: FORMAT, ...more }, { supports });
    assert.match(JSON.stringify(sent.system), /JSON schema/);
    assert.ok(!JSON.stringify(sent.tools ?? []).includes("answer_in_json"));
  });
}

Deno.test("what a route says goes before what the program knows of the name", async () => {
  const { sent } = await ask({ response_format: FORMAT }, { model: "claude-opus-5-5" });
  assert.ok(sent.output_config !== undefined && sent.tools === undefined);
  const asked = await ask({ response_format: FORMAT, temperature: 0.5 }, {
    model: "claude-opus-5-5",
    supports: { schemasBy: "tool", forcedTools: true, sampling: true },
  });
  assert.equal(asked.sent.output_config, undefined);
  assert.equal((asked.sent.tool_choice as JsonObject).type, "tool");
  assert.equal(asked.sent.temperature, 0.5);
});
