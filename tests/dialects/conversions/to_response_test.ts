import assert from "node:assert/strict";
import { nested } from "../../support/nested_tokens.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };
import {
  convertPlain,
  countedIds,
  NOW_SECONDS,
  repairedAnswer,
  responseCall,
} from "../../support/converted_response.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { RESPONSES_OVER_CHAT } from "../../support/responses_over_chat.ts";
import { EventQueue } from "../../../src/dialects/base/event_queue.ts";
import { convertedExchange } from "../../../src/providers/converted_exchange.ts";
import { completion } from "../../support/provider_parts.ts";
import { assertSatisfies } from "../../support/schema_check.ts";
import { SEALS } from "../../support/thought_seals.ts";

function answer(message: JsonObject, choice: JsonObject = {}, fields: JsonObject = {}) {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, ...choice }];
  return completion({ choices, ...fields });
}

Deno.test("toResponse() makes a whole Response of a text", () => {
  const { body, usage, text } = convertPlain(completion({ service_tier: "default" }));
  assertSatisfies(schemas, "Response", body);
  assert.deepEqual(body, {
    id: "resp_chatcmpl-1",
    object: "response",
    created_at: 1_700_000_000,
    completed_at: NOW_SECONDS,
    status: "completed",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: {},
    model: "upstream-model",
    output: [{
      id: "msg_1",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }],
    }],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_logprobs: 0,
    top_p: null,
    truncation: "disabled",
    usage: {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 6,
    },
  });
  assert.equal(nested(usage)?.promptTokens, 5);
  assert.equal(text(), "Hi");
});

Deno.test("toResponse() says the request's settings back", () => {
  const settings: JsonObject = {
    instructions: "Be brief",
    max_output_tokens: 64,
    max_tool_calls: 2,
    metadata: { a: "b" },
    parallel_tool_calls: false,
    reasoning: { effort: "low", summary: "auto" },
    temperature: 0.5,
    text: { format: { type: "json_object" }, verbosity: "low" },
    tool_choice: { type: "function", name: "f" },
    top_p: 0.9,
    top_logprobs: 2,
    truncation: "auto",
    user: "u",
    prompt_cache_key: "k",
    safety_identifier: "s",
  };
  const tools = [{ type: "function", name: "f" }, { type: "custom", name: "c" }];
  const { body } = convertPlain(completion(), responseCall({ ...settings, tools }));
  assertSatisfies(schemas, "Response", body);
  for (const [field, value] of Object.entries(settings)) {
    assert.deepEqual(body[field], value, field);
  }
  assert.deepEqual(body.tools, [
    { type: "function", name: "f", parameters: null, strict: false },
    { type: "custom", name: "c" },
  ]);
});

Deno.test("toResponse() takes null settings for none", () => {
  const { body } = convertPlain(
    completion(),
    responseCall({
      text: { format: null, verbosity: null },
      tools: null,
      user: null,
      temperature: null,
      truncation: null,
      reasoning: null,
      metadata: null,
      tool_choice: null,
    }),
  );
  assertSatisfies(schemas, "Response", body);
  assert.deepEqual(body.text, { format: { type: "text" } });
  assert.ok(!("user" in body));
});

Deno.test("toResponse() shows no service tier that a Response cannot have", () => {
  assert.ok(!("service_tier" in convertPlain(completion({ service_tier: "on_demand" })).body));
});

Deno.test("toResponse() orders reasoning, message and calls", () => {
  const { body, text } = convertPlain(answer({
    content: "Let me see",
    refusal: "but not that",
    reasoning_content: "Hm",
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
      { id: "call_2", type: "custom", custom: { name: "sql", input: "select 1" } },
    ],
  }, { finish_reason: "tool_calls" }));
  assertSatisfies(schemas, "Response", body);
  assert.deepEqual(body.output, [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
    {
      id: "msg_2",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [
        { type: "output_text", text: "Let me see", annotations: [], logprobs: [] },
        { type: "refusal", refusal: "but not that" },
      ],
    },
    {
      id: "fc_3",
      type: "function_call",
      status: "completed",
      arguments: '{"a":1}',
      call_id: "call_1",
      name: "f",
    },
    {
      id: "ctc_4",
      type: "custom_tool_call",
      status: "completed",
      call_id: "call_2",
      input: "select 1",
      name: "sql",
    },
  ]);
  assert.ok(text().includes("Hm") && text().includes('{"a":1}'));
});

const ENDS: readonly [unknown, string, string | undefined][] = [
  ["stop", "completed", undefined],
  ["tool_calls", "completed", undefined],
  ["function_call", "completed", undefined],
  ["eos", "completed", undefined],
  [null, "completed", undefined],
  ["length", "incomplete", "max_output_tokens"],
  ["max_tokens", "incomplete", "max_output_tokens"],
  ["model_length", "incomplete", "max_output_tokens"],
  ["content_filter", "incomplete", "content_filter"],
];
for (const [reason, status, why] of ENDS) {
  Deno.test(`toResponse() is ${status} when the finish reason is ${reason}`, () => {
    const { body } = convertPlain(answer({ content: "Hi" }, { finish_reason: reason }));
    assertSatisfies(schemas, "Response", body);
    assert.equal(body.status, status);
    assert.deepEqual(body.incomplete_details, why === undefined ? null : { reason: why });
    assert.equal(body.completed_at, why === undefined ? NOW_SECONDS : null);
    assert.equal((body.output as JsonObject[])[0]!.status, status);
  });
}

Deno.test("toResponse() fails when the finish reason is a failure", () => {
  assert.throws(
    () => convertPlain(answer({ content: "Hi" }, { finish_reason: "error" })),
    { name: "UpstreamError", failure: "broken" },
  );
});

Deno.test("toResponse() makes arguments of no arguments, unless they were cut", () => {
  const calls = [{ id: "call_1", type: "function", function: { name: "now", arguments: "" } }];
  const argumentsAt = (reason: string) => {
    const { body } = convertPlain(answer({ tool_calls: calls }, { finish_reason: reason }));
    return (body.output as JsonObject[])[0]!.arguments;
  };
  assert.equal(argumentsAt("tool_calls"), "{}");
  assert.equal(argumentsAt("length"), "");
});

Deno.test("toResponse() keeps the upstream's other usage fields and no chat names", () => {
  const { body } = convertPlain(completion({
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 },
      queue_time: 0.5,
    },
  }));
  assert.deepEqual(body.usage, {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0, audio_tokens: 1 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
    queue_time: 0.5,
  });
});

Deno.test("toResponse() has no usage when the upstream reported none", () => {
  const { body, usage } = convertPlain(completion({ usage: undefined }));
  assert.ok(!("usage" in body));
  assert.equal(usage, undefined);
});

Deno.test("toResponse() has no output when there are no choices or nothing in them", () => {
  for (const chat of [completion({ choices: [] }), answer({ content: "" }), answer({})]) {
    const { body } = convertPlain(chat);
    assertSatisfies(schemas, "Response", body);
    assert.deepEqual(body.output, []);
  }
});

Deno.test("toResponse() finds thoughts under the newer name when the older one is empty", () => {
  const { body } = convertPlain(answer({ content: "A", reasoning_content: "", reasoning: "Hm" }));
  assert.deepEqual((body.output as JsonObject[])[0]!.summary, [{
    type: "summary_text",
    text: "Hm",
  }]);
});

Deno.test("toResponse() takes no vendor extras along", () => {
  const { body } = convertPlain(completion({ x_groq: { id: "x" }, system_fingerprint: "fp" }));
  for (const field of ["x_groq", "system_fingerprint", "choices", "created"]) {
    assert.ok(!(field in body), field);
  }
});

Deno.test("toResponse() keeps calls apart that all say they are the first", () => {
  const call = (id: string) => ({
    id,
    index: 0,
    type: "function",
    function: { name: id, arguments: "{}" },
  });
  const { body } = convertPlain(
    answer({ tool_calls: [call("a"), call("b")] }, { finish_reason: "tool_calls" }),
  );
  assert.deepEqual((body.output as JsonObject[]).map(({ name }) => name), ["a", "b"]);
});

Deno.test("an answer in one piece is converted without the events that nobody would read", async () => {
  const { add, addLast } = EventQueue.prototype;
  let made = 0;
  EventQueue.prototype.add = EventQueue.prototype.addLast = () => made++;
  try {
    const upstream = {
      answer: () => Promise.resolve(repairedAnswer(completion({}))),
      stream: () => Promise.reject(new Error("No stream was asked")),
    };
    const parts = { clock: new FakeClock(), ids: countedIds(), seals: SEALS };
    const { answer } = convertedExchange({ ...RESPONSES_OVER_CHAT, parts }, upstream);
    const { body } = await answer(responseCall(), new AbortController().signal);
    assert.equal(body.status, "completed");
    assert.equal(made, 0);
  } finally {
    Object.assign(EventQueue.prototype, { add, addLast });
  }
});
