/**
 * Upstreams that answer in the other form than was asked for: with events in place of one piece, or the
 * other way round. Callers get what they have asked for, and it costs the same.
 *
 * @module
 */

import assert from "node:assert/strict";
import { asArray, asObject, type JsonObject } from "../../src/domain/json_value.ts";
import { UpstreamError } from "../../src/domain/upstream_error.ts";
import { messageBody, messageEvents } from "../support/message_bodies.ts";
import { ask, type Caller, choiceOf, stream, type Upstream, usageOf } from "./ask.ts";

const CALLERS: readonly Caller[] = ["openai_chat", "openai_responses", "anthropic_messages"];

/** An answer in both forms. */
interface Forms {
  readonly json: JsonObject;
  readonly events: readonly JsonObject[];
}

const CHAT_HEAD = { id: "chatcmpl-1", created: 1_700_000_000, model: "glm-5" };
const CHAT_USAGE = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const delta = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...CHAT_HEAD,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const args = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });

const CHAT: Forms = {
  json: {
    ...CHAT_HEAD,
    object: "chat.completion",
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        reasoning_content: "Let me see",
        content: "It is late",
        tool_calls: [{
          id: "call_1",
          type: "function",
          function: { name: "look", arguments: '{"a":1}' },
        }],
      },
      finish_reason: "tool_calls",
    }],
    usage: CHAT_USAGE,
  },
  events: [
    delta({ role: "assistant", content: "" }),
    delta({ reasoning_content: "Let me" }),
    delta({ reasoning_content: " see" }),
    delta({ content: "It is" }),
    delta({ content: " late" }),
    delta({
      tool_calls: [{
        index: 0,
        id: "call_1",
        type: "function",
        function: { name: "look", arguments: "" },
      }],
    }),
    // Some say again what they have said.
    delta({ tool_calls: [{ index: 0, id: "call_1", function: { arguments: '{"a"' } }] }),
    delta(args(":1}")),
    delta({}, { finish_reason: "tool_calls" }),
    { ...CHAT_HEAD, object: "chat.completion.chunk", choices: [], usage: CHAT_USAGE },
  ],
};

const BLOCKS = [
  { type: "text", text: "It is late" },
  { type: "tool_use", id: "toolu_1", name: "look", input: { a: 1 } },
];
const MESSAGE: Forms = {
  json: messageBody(BLOCKS) as JsonObject,
  events: messageEvents(BLOCKS) as JsonObject[],
};

const COUNTS = { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 };
const google = (parts: readonly object[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  usageMetadata: COUNTS,
  modelVersion: "gemini-3.1-pro",
  responseId: "r1",
});
const GOOGLE_CALL = { functionCall: { id: "c1", name: "look", args: { a: 1 } } };
const GEMINI: Forms = {
  json: google([{ text: "It is late" }, GOOGLE_CALL], { finishReason: "STOP" }),
  events: [
    google([{ text: "It is" }]),
    google([{ text: " late" }]),
    google([GOOGLE_CALL]),
    google([{ text: "" }], { finishReason: "STOP" }),
  ],
};

const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  model: "gpt-5",
  status: "completed",
  output: [{
    id: "msg_1",
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "It is late", annotations: [] }],
  }, {
    id: "fc_1",
    type: "function_call",
    status: "completed",
    call_id: "call_1",
    name: "look",
    arguments: '{"a":1}',
  }],
  usage: { input_tokens: 20, output_tokens: 9, total_tokens: 29 },
};
const started = { ...RESPONSE, status: "in_progress", output: [], usage: null };
const RESPONSES: Forms = {
  json: RESPONSE,
  events: [
    { type: "response.created", response: started },
    { type: "response.completed", response: RESPONSE },
  ],
};

const FORMS: Readonly<Record<Exclude<Upstream, "converse">, Forms>> = {
  chat: CHAT,
  messages: MESSAGE,
  gemini: GEMINI,
  responses: RESPONSES,
};
const UPSTREAMS = Object.keys(FORMS) as (keyof typeof FORMS)[];

/** What two answers may not have in common. */
const FLEETING = new Set(["id", "created", "created_at", "completed_at", "call_id", "annotations"]);

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  const object = asObject(value);
  if (object === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).filter(([field]) => !FLEETING.has(field))
      .map(([field, one]) => [field, lasting(one)]),
  );
}

/** What an answer of Gemini's says, whose texts stay in the pieces that they came in. */
function joined(body: JsonObject): JsonObject {
  const { content } = body;
  if (!Array.isArray(content)) return body;
  return { ...body, content: content.filter((block) => asObject(block)?.text !== "") };
}

for (const upstream of UPSTREAMS) {
  // Routes with the Responses API have it for callers of that alone.
  for (const caller of upstream === "responses" ? ["openai_responses" as const] : CALLERS) {
    const { json, events } = FORMS[upstream];

    Deno.test(`#14 events that nobody asked for are one answer: ${upstream} to ${caller}`, async () => {
      const whole = await ask({ upstream, caller, replies: [{ json: structuredClone(json) }] });
      const collected = await ask({ upstream, caller, replies: [{ events }] });
      assert.deepEqual(lasting(joined(collected.body)), lasting(joined(whole.body)));
      assert.deepEqual(collected.usage, whole.usage);
      assert.notEqual(collected.usage, undefined);
      assert.equal(collected.text().includes("It is late"), true);
    });

    Deno.test(`#15 one piece that nobody asked for is a stream: ${upstream} to ${caller}`, async () => {
      const streamed = await stream({ upstream, caller, replies: [{ events }] });
      const whole = await stream({ upstream, caller, replies: [{ json: structuredClone(json) }] });
      assert.deepEqual(usageOf(whole), usageOf(streamed));
      assert.notEqual(usageOf(whole), undefined);
      const textIn = (events: typeof whole.events) => events.map(({ text }) => text).join("");
      assert.equal(textIn(whole.events), textIn(streamed.events));
      assert.equal(whole.events.filter(({ finished }) => finished).length > 0, true);
      assert.doesNotMatch(whole.text, /"object":"chat\.completion"|"message":\{"role"/);
    });

    Deno.test(`#14 a cut stream is a failed attempt: ${upstream} to ${caller}`, async () => {
      const cut = upstream === "chat" ? events.slice(0, -2) : events.slice(0, -1);
      const bytes = new TextEncoder().encode(
        (upstream === "messages" ? cut.slice(0, -1) : cut)
          .map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
      );
      await assert.rejects(
        ask({ upstream, caller, replies: [{ bytes, type: "text/event-stream" }] }),
        (error) => error instanceof UpstreamError && error.failure === "broken",
      );
    });
  }
}

Deno.test("#14 every choice and everything beside the text is in the answer that is made", async () => {
  const choice = (index: number, delta: JsonObject, more: JsonObject = {}) => ({
    ...CHAT_HEAD,
    choices: [{ index, delta, ...more }],
    citations: ["https://a.example"],
  });
  const detail = { type: "reasoning.text", index: 0, format: "unknown" };
  const { body } = await ask({
    upstream: "chat",
    caller: "openai_chat",
    body: { n: 2 },
    replies: [{
      events: [
        choice(1, { content: "B" }, { logprobs: { content: [{ token: "B" }] } }),
        choice(0, { content: "A", annotations: [{ type: "url_citation", url: "u" }] }),
        choice(0, { reasoning_details: [{ ...detail, text: "Hm" }] }),
        choice(0, { reasoning_details: [{ ...detail, text: ", so", signature: "Sig" }] }),
        choice(1, { content: "b" }, { logprobs: { content: [{ token: "b" }] } }),
        choice(1, {}, { finish_reason: "length" }),
        choice(0, { content: "a" }, { finish_reason: "stop" }),
      ],
    }],
  });
  assert.deepEqual(body.citations, ["https://a.example"]);
  assert.equal(body.object, "chat.completion");
  const [first, second] = asArray(body.choices) as JsonObject[];
  assert.deepEqual(asObject(first)!.message, {
    role: "assistant",
    content: "Aa",
    annotations: [{ type: "url_citation", url: "u" }],
    reasoning_details: [{ ...detail, text: "Hm, so", signature: "Sig" }],
    refusal: null,
  });
  assert.equal(choiceOf({ body }).finish_reason, "stop");
  assert.equal(second!.finish_reason, "length");
  assert.deepEqual(second!.logprobs, { content: [{ token: "B" }, { token: "b" }] });
  assert.equal("usage" in body, false);
});

for (const caller of CALLERS) {
  Deno.test(`#14 a call that the output limit has cut is in the answer that is made: messages to ${caller}`, async () => {
    const cut = (reason: string) =>
      (messageEvents(BLOCKS) as JsonObject[]).map((event) => {
        const { type, ...told } = asObject(event.delta) ?? {};
        if (type === "input_json_delta") {
          return { ...event, delta: { type, partial_json: '{"a": "secret' } };
        }
        if (event.type !== "message_delta") return event;
        return { ...event, delta: { ...told, stop_reason: reason } };
      });
    const { body, usage } = await ask({
      upstream: "messages",
      caller,
      replies: [{ events: cut("max_tokens") }],
    });
    assert.notEqual(usage, undefined);
    assert.match(JSON.stringify(body), /"max_tokens"|"length"|"incomplete"/);
    assert.match(JSON.stringify(body), /It is late/);
    assert.doesNotMatch(JSON.stringify(body), /secret/);
    // What is not cut has failed.
    await assert.rejects(
      ask({ upstream: "messages", caller, replies: [{ events: cut("tool_use") }] }),
      (error) => error instanceof UpstreamError && error.failure === "broken",
    );
  });
}
