/**
 * Faults of others in requests that they put in another dialect, and with signatures, by their numbers in
 * `faults.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { asArray, asObject, type JsonObject } from "../../src/domain/json_value.ts";
import { responseOf } from "../support/gemini_bodies.ts";
import { messageBody } from "../support/message_bodies.ts";
import { ask, choiceOf, sentBy, stream } from "./ask.ts";

const USER = { role: "user", content: "Hello" };
const functionTool = (parameters?: object) => ({
  type: "function",
  function: { name: "f", ...(parameters && { parameters }) },
});
const MARK = { type: "ephemeral" };

/** Everywhere in a value. */
function countOf(value: unknown, field: string): number {
  return JSON.stringify(value).split(`"${field}":`).length - 1;
}

Deno.test("#20 a tool without parameters has an object schema at Anthropic, and is taken by all", async () => {
  for (const parameters of [undefined, {}, { type: "object", properties: {} }]) {
    const body = { tools: [functionTool(parameters)] };
    const { tools } = await sentBy({ upstream: "messages", caller: "openai_chat", body });
    assert.equal(asObject(asObject(asArray(tools)[0])!.input_schema)!.type, "object");
    const { toolConfig } = await sentBy({ upstream: "converse", caller: "openai_chat", body });
    const [tool] = asArray(asObject(toolConfig)!.tools) as {
      toolSpec: { inputSchema: { json: JsonObject } };
    }[];
    assert.equal(tool!.toolSpec.inputSchema.json.type, "object");
  }
});

Deno.test("#21 a schema's keywords get to Gemini as JSON Schema, each as it was", async () => {
  const parameters = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      a: { const: 1 },
      b: { type: "number", exclusiveMinimum: 0 },
      c: { type: "array", prefixItems: [{ type: "string" }] },
      d: { $ref: "#/$defs/e" },
    },
    $defs: { e: { type: "string" } },
    additionalProperties: false,
  };
  const { tools } = await sentBy({
    upstream: "gemini",
    caller: "openai_chat",
    body: { tools: [functionTool(parameters)] },
  });
  const [{ functionDeclarations: [declared] }] = tools as {
    functionDeclarations: JsonObject[];
  }[] as [{ functionDeclarations: JsonObject[] }];
  assert.deepEqual(declared, { name: "f", parametersJsonSchema: parameters });
});

Deno.test("#22 no word of another dialect's gets to an upstream", async () => {
  const body = {
    stream_options: { include_usage: true },
    user: "u",
    store: true,
    metadata: { a: "b" },
    logit_bias: { 1: 1 },
    prediction: { type: "content", content: "x" },
    max_completion_tokens: 5,
  };
  const known = {
    gemini: ["contents", "generationConfig"],
    messages: ["max_tokens", "messages", "metadata", "model", "stream"],
    converse: ["inferenceConfig", "messages"],
  } as const;
  for (const upstream of ["gemini", "messages", "converse"] as const) {
    const sent = await sentBy({ upstream, caller: "openai_chat", body });
    for (const field of Object.keys(sent)) {
      assert.ok((known[upstream] as readonly string[]).includes(field), `${upstream}: ${field}`);
    }
    assert.equal(JSON.stringify(sent).includes("stream_options"), false);
  }
});

Deno.test("#23 results stand right behind their calls, before any text, in one message", async () => {
  const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
  const messages = [
    USER,
    { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "b", content: "2" },
    { role: "user", content: "And?" },
  ];
  const sent = await sentBy({
    upstream: "messages",
    caller: "openai_chat",
    body: { messages, tools: [functionTool()] },
  });
  const turns = sent.messages as { role: string; content: { type: string }[] }[];
  assert.deepEqual(turns.map(({ role }) => role), ["user", "assistant", "user"]);
  assert.deepEqual(turns[2]!.content.map(({ type }) => type), [
    "tool_result",
    "tool_result",
    "text",
  ]);
  const converse = await sentBy({
    upstream: "converse",
    caller: "openai_chat",
    body: { messages, tools: [functionTool()] },
  });
  const last = asArray(converse.messages).at(-1) as { content: JsonObject[] };
  assert.deepEqual(last.content.flatMap(Object.keys), ["toolResult", "toolResult", "text"]);
});

Deno.test("#24 blank texts are sent to nobody who refuses them", async () => {
  const messages = [
    { role: "system", content: " " },
    { role: "user", content: [{ type: "text", text: "\n " }, { type: "text", text: "Hi" }] },
    { role: "assistant", content: "" },
    USER,
  ];
  for (const upstream of ["converse", "messages"] as const) {
    const sent = await sentBy({ upstream, caller: "openai_chat", body: { messages } });
    assert.doesNotMatch(JSON.stringify(sent), /"text":"(?:\\n|\s)*"/, upstream);
  }
});

Deno.test("#25 betas are Anthropic's alone: no other API gets a header or a field with them", async () => {
  const headers = { "anthropic-beta": "context-1m-2025-08-07" };
  for (const upstream of ["converse", "chat", "gemini"] as const) {
    const sent = await sentBy({ upstream, caller: "anthropic_messages", headers });
    assert.doesNotMatch(JSON.stringify(sent), /beta|context-1m/, upstream);
  }
});

Deno.test("#26 a temperature is not sent to models that refuse it, nor with thoughts", async () => {
  const body = { temperature: 0.5, reasoning_effort: "high" };
  for (
    const [upstream, model] of [
      ["messages", "claude-opus-4-7"],
      ["messages", "claude-sonnet-4-5"],
      ["converse", "us.anthropic.claude-opus-4-7-v1:0"],
      ["converse", "us.anthropic.claude-sonnet-4-5-v1:0"],
    ] as const
  ) {
    const sent = await sentBy({ upstream, caller: "openai_chat", body, model });
    const { temperature } = { ...sent, ...asObject(sent.inferenceConfig) } as JsonObject;
    assert.ok(temperature === undefined || temperature === 1, `${model}: ${temperature}`);
  }
});

Deno.test("#27 of five marks for a cache four are left", async () => {
  const text = (at: number) => ({ type: "text", text: `${at}`, cache_control: MARK });
  const body = {
    messages: [{ role: "system", content: [text(0)] }, {
      role: "user",
      content: [1, 2, 3, 4, 5].map(text),
    }],
  };
  const sent = await sentBy({ upstream: "messages", caller: "openai_chat", body });
  assert.equal(countOf(sent, "cache_control"), 4);
  assert.equal(countOf(sent.system, "cache_control"), 1);
  assert.ok(JSON.stringify(sent.messages).includes('"text":"5","cache_control"'));
});

Deno.test("#28 marks for a cache get from a chat's parts, tools and system to Claude", async () => {
  const body = {
    messages: [
      { role: "system", content: [{ type: "text", text: "S", cache_control: MARK }] },
      { role: "user", content: [{ type: "text", text: "U", cache_control: MARK }] },
    ],
    tools: [{ ...functionTool(), cache_control: MARK }],
  };
  const sent = await sentBy({ upstream: "messages", caller: "openai_chat", body });
  for (const field of ["system", "messages", "tools"]) {
    assert.equal(countOf(sent[field], "cache_control"), 1, field);
  }
});

Deno.test("#29 a route may have the cache used for callers who know of none", async () => {
  const body = { set: {}, default: { cache_control: MARK }, drop: [] };
  const sent = await sentBy({ upstream: "messages", caller: "openai_chat", route: { body } });
  assert.deepEqual(sent.cache_control, MARK);
});

Deno.test("#30 thoughts go back to chat upstreams that want them, unless the route says no", async () => {
  const messages = [
    USER,
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm", signature: "" },
        { type: "tool_use", id: "t1", name: "f", input: {} },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "1" }] },
  ];
  const sent = await sentBy({ upstream: "chat", caller: "anthropic_messages", body: { messages } });
  assert.match(JSON.stringify(sent.messages), /"reasoning_content":"Hm"/);
  const dropped = await sentBy({
    upstream: "chat",
    caller: "anthropic_messages",
    body: { messages },
    route: { body: { set: {}, default: {}, drop: ["reasoning_content"] } },
  });
  assert.doesNotMatch(JSON.stringify(dropped), /reasoning_content/);
});

Deno.test("#31 keywords that Anthropic refuses of an answer's schema are words there", async () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "integer", minimum: 1, maximum: 5 },
      b: { type: "array", items: {}, minItems: 7 },
    },
    required: ["a"],
  };
  const sent = await sentBy({
    upstream: "messages",
    caller: "openai_chat",
    body: { response_format: { type: "json_schema", json_schema: { name: "n", schema } } },
  });
  const config = JSON.stringify(asObject(sent.output_config)?.format);
  assert.doesNotMatch(config, /"(?:minimum|maximum)":|"minItems":7/);
  assert.match(config, /"additionalProperties":false/);
});

const SIGNED = { type: "thinking", thinking: "Hm", signature: "EqQBCkYIBBgCKkA/+a=" };
const REDACTED = { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix/LafPsn4a" };

Deno.test("#33 signatures are sent as they are, and left out only where they were refused", async () => {
  const whole = messageBody([SIGNED, { type: "text", text: "Hi" }]) as JsonObject;
  const first = await ask({
    upstream: "messages",
    caller: "openai_chat",
    replies: [{ json: whole }],
  });
  const { message } = choiceOf(first) as { message: JsonObject };
  const body = { messages: [USER, message, USER] };
  const kept = await ask({
    upstream: "messages",
    caller: "openai_chat",
    body,
    replies: [{ json: whole }],
  });
  assert.match(JSON.stringify(kept.sent), /EqQBCkYIBBgCKkA/);
  const refused = {
    type: "error",
    error: { type: "invalid_request_error", message: "Invalid `signature` in `thinking` block" },
  };
  const again = await ask({
    upstream: "messages",
    caller: "openai_chat",
    body,
    replies: [{ json: refused, status: 400 }, { json: whole }],
  });
  assert.doesNotMatch(JSON.stringify(again.sent), /EqQBCkYIBBgCKkA|"thinking"/);
});

Deno.test("#34 signed blocks are passed on as they came", async () => {
  const content = [SIGNED, REDACTED, { type: "text", text: "Hi" }];
  const messages = [USER, { role: "assistant", content }, USER];
  const { sent, body } = await ask({
    upstream: "messages",
    caller: "anthropic_messages",
    body: { messages },
    replies: [{ json: messageBody(content) }],
  });
  assert.equal(
    JSON.stringify(asArray(sent.messages)[1]),
    JSON.stringify({ role: "assistant", content }),
  );
  assert.equal(
    JSON.stringify(asArray(body.content).slice(0, 2)),
    JSON.stringify([SIGNED, REDACTED]),
  );
});

Deno.test("#35 thoughts whose signature comes in a piece of its own are one block", async () => {
  const detail = (fields: JsonObject) => ({
    choices: [{
      index: 0,
      delta: { reasoning_details: [{ type: "reasoning.text", index: 0, ...fields }] },
    }],
  });
  const events = [
    detail({ text: "Let me " }),
    detail({ text: "see" }),
    detail({ signature: "Sig1" }),
    { choices: [{ index: 0, delta: { content: "Four" } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ];
  const { chunks } = await stream({
    upstream: "chat",
    caller: "anthropic_messages",
    replies: [{ events }],
  });
  const starts = chunks.filter(({ type }) => type === "content_block_start");
  assert.deepEqual(starts.map(({ content_block }) => asObject(content_block)!.type), [
    "thinking",
    "text",
  ]);
  const thoughts = chunks.flatMap(({ delta }) => asObject(delta)?.thinking ?? []);
  assert.equal(thoughts.join(""), "Let me see");
});

Deno.test("#36 signatures are told to callers of chat, plain and in streams", async () => {
  const json = messageBody([SIGNED, { type: "text", text: "Hi" }]);
  const { body } = await ask({ upstream: "messages", caller: "openai_chat", replies: [{ json }] });
  const { message } = choiceOf({ body }) as { message: JsonObject };
  assert.match(JSON.stringify(message.reasoning_details), /EqQBCkYIBBgCKkA/);
});

Deno.test("#37 a call that Gemini has not signed says so, and one that it has is signed again", async () => {
  const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
  const messages = (extra: JsonObject) => [
    USER,
    { role: "assistant", content: null, tool_calls: [{ ...call, ...extra }] },
    { role: "tool", tool_call_id: "c1", content: "1" },
  ];
  const bare = await sentBy({
    upstream: "gemini",
    caller: "openai_chat",
    body: { messages: messages({}) },
  });
  assert.match(JSON.stringify(bare), /"thoughtSignature":"skip_thought_signature_validator"/);
  const json = responseOf([{ functionCall: { name: "f", args: {} }, thoughtSignature: "Sig" }]);
  const first = await ask({ upstream: "gemini", caller: "openai_chat", replies: [{ json }] });
  const [told] = asArray(asObject(choiceOf(first).message)!.tool_calls) as JsonObject[];
  const { extra_content } = told!;
  const again = await sentBy({
    upstream: "gemini",
    caller: "openai_chat",
    body: { messages: messages({ extra_content }) },
  });
  assert.match(JSON.stringify(again), /"thoughtSignature":"Sig"/);
});
