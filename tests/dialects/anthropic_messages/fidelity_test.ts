/**
 * What conversions to and from Anthropic's dialect keep, leave out and refuse.
 *
 * @module
 */

import assert from "node:assert/strict";
import { outputSchema } from "../../../src/dialects/turns/output_schema.ts";
import { readUsage, usageBody } from "../../../src/dialects/anthropic_messages/usage.ts";
import { ANTHROPIC_ERRORS } from "../../../src/dialects/anthropic_messages/read_error.ts";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";

const { anthropic_messages: MESSAGES, openai_chat: CHAT } = DIALECTS;
const ASK = { role: "user", content: "Hi" };

function toChat(body: JsonObject, named: readonly string[] = []): JsonObject {
  const asked = MESSAGES.callers.readRequest({
    model: "m",
    max_tokens: 9,
    messages: [ASK],
    ...body,
  });
  return CHAT.upstreams!.writeRequest(asked, {
    keepsReasoning: true,
    isNamed: (field) => named.includes(field),
  });
}

function toMessages(body: JsonObject, model = "claude-opus-5-5"): JsonObject {
  const asked = CHAT.callers!.readRequest({ model, messages: [ASK], ...body });
  return MESSAGES.upstreams.writeRequest(asked, { keepsReasoning: true, model });
}

Deno.test("thoughts that are switched off stay off, whatever the effort", () => {
  const thinking = { type: "disabled" };
  assert.equal(toChat({ thinking }).reasoning_effort, "none");
  assert.equal(
    toChat({ thinking, output_config: { effort: "high" } }).reasoning_effort,
    "none",
  );
  assert.equal(toChat({ thinking: { type: "adaptive" } }).reasoning_effort, undefined);
});

Deno.test("top_k goes to chat where the route names it", () => {
  assert.equal(toChat({ top_k: 5 }).top_k, undefined);
  assert.equal(toChat({ top_k: 5 }, ["top_k"]).top_k, 5);
});

const NEWER = { headers: { "anthropic-version": "2026-10-21" } };
const DOCUMENT = {
  type: "document",
  source: { type: "text", media_type: "text/plain", data: "a" },
};
const CITED = { type: "text", text: "a", citations: [{ type: "char_location" }] };

for (
  const [param, message] of [
    ["messages[0].content[0]", { role: "assistant", content: [DOCUMENT] }],
    ["messages[0].content[0].citations", { role: "user", content: [CITED] }],
    ["messages[0].content[0].content[0].citations", {
      role: "user",
      content: [{ type: "search_result", title: "t", source: "s", content: [CITED] }],
    }],
  ] as const
) {
  Deno.test(`the newer version refuses what the older one takes at ${param}`, () => {
    const body = { model: "m", max_tokens: 9, messages: [message, ASK] };
    MESSAGES.callers.readRequest(body);
    assert.throws(
      () => MESSAGES.callers.readRequest(body, NEWER),
      (error: unknown) => error instanceof UpstreamError && error.param === param,
    );
  });
}

Deno.test("the system speaks in mid-conversation where the model has that", () => {
  const messages = [
    { role: "system", content: "Be kind" },
    ASK,
    { role: "assistant", content: "Yes?" },
    { role: "developer", content: "Be brief" },
    ASK,
  ];
  const kind = { type: "text", text: "Be kind" };
  const brief = { type: "text", text: "Be brief" };
  const newest = toMessages({ messages });
  assert.deepEqual(newest.system, [kind]);
  assert.deepEqual((newest.messages as JsonObject[])[2], { role: "system", content: [brief] });
  assert.deepEqual(toMessages({ messages }, "claude-opus-4-6").system, [kind, brief]);
});

Deno.test("of marks for a cache four stay: those of the system and tools, and the last", () => {
  const mark = { type: "ephemeral" };
  const part = (text: string) => ({ type: "text", text, cache_control: mark });
  const { system, messages } = toMessages({
    messages: [
      { role: "system", content: [part("s")] },
      ...["a", "b", "c", "d", "e"].map((text) => ({ role: "user", content: [part(text)] })),
    ],
  }) as { system: JsonObject[]; messages: { content: JsonObject[] }[] };
  const marked = [...system, ...messages.flatMap(({ content }) => content)]
    .filter(({ cache_control }) => cache_control !== undefined).map(({ text }) => text);
  assert.deepEqual(marked, ["s", "c", "d", "e"]);
});

Deno.test("a budgeted model thinks about the results of calls only with the thoughts before them", () => {
  const called = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
  };
  const messages = [ASK, called, { role: "tool", tool_call_id: "c", content: "1" }];
  const { thinking } = toMessages({ messages, reasoning_effort: "high" }, "claude-sonnet-4-5");
  assert.equal(thinking, undefined);
});

Deno.test("an answer's schema has the keywords that are taken, and words for the others", () => {
  assert.deepEqual(
    outputSchema({
      $schema: "x",
      type: "object",
      description: "A list",
      additionalProperties: true,
      properties: {
        names: { type: "array", minItems: 2, maxItems: 5, items: { type: "string", maxLength: 9 } },
        age: { type: "integer", minimum: 0 },
        mail: { type: "string", format: "email" },
        word: { type: "string", format: "hex", pattern: "^a" },
        either: { oneOf: [{ type: "object", properties: {} }, { type: "null" }] },
      },
      required: ["names"],
    }),
    {
      type: "object",
      description: "A list",
      additionalProperties: false,
      properties: {
        names: {
          type: "array",
          items: { type: "string", description: "{maxLength: 9}" },
          description: "{minItems: 2, maxItems: 5}",
        },
        age: { type: "integer", description: "{minimum: 0}" },
        mail: { type: "string", format: "email" },
        word: { type: "string", description: '{format: "hex", pattern: "^a"}' },
        either: {
          anyOf: [{ type: "object", properties: {}, additionalProperties: false }, {
            type: "null",
          }],
        },
      },
      required: ["names"],
    },
  );
});

Deno.test("searches are counted, and rounds beside the answer are", () => {
  const work = readUsage({
    input_tokens: 10,
    output_tokens: 5,
    server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 },
    iterations: [
      { type: "message", input_tokens: 10, output_tokens: 5 },
      { type: "compaction", input_tokens: 100, output_tokens: 20 },
      { type: "advisor_message", model: "claude-fable-5", input_tokens: 1_000, output_tokens: 7 },
    ],
  })!;
  assert.deepEqual(work, { input: 1_110, output: 32, search: 3 });
  assert.deepEqual(usageBody(work).server_tool_use, {
    web_search_requests: 3,
    web_fetch_requests: 0,
  });
  assert.equal(
    readUsage({ input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: -1 } }),
    undefined,
  );
});

Deno.test("a limit that does not say when it ends is the account's", () => {
  const text = JSON.stringify({ type: "error", error: { type: "rate_limit_error", message: "m" } });
  const codeWith = (headers: Record<string, string>) =>
    ANTHROPIC_ERRORS.parse(text, (name) => headers[name]).code;
  assert.equal(codeWith({}), "spend_limit_reached");
  assert.equal(codeWith({ "retry-after": "7" }), undefined);
});

Deno.test("newer models count more tokens than our tokenizer does, and others' as many", () => {
  const { tokenFactor } = MESSAGES;
  assert.deepEqual(
    ["claude-opus-5-5", "claude-sonnet-4-5", "glm-5"].map((model) => tokenFactor(model)),
    [1.3, 1, 1],
  );
});
