import assert from "node:assert/strict";
import { convertRequest } from "../../../src/providers/openai_compatible/chat/convert_request.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { toChatCall } from "../../support/responses_over_chat.ts";
import { responseCall } from "../../support/converted_response.ts";
import { chatRoute } from "../../support/provider_parts.ts";

const MESSAGES = [{ role: "user", content: "Hello" }];
const SCHEMA = { type: "object", properties: {}, additionalProperties: false };

const FIELDS: readonly [string, JsonObject, JsonObject][] = [
  ["nothing but input", {}, {}],
  ["fields of the same name", {
    temperature: 0.2,
    top_p: 0.9,
    user: "u",
    service_tier: "flex",
    prompt_cache_key: "k",
    safety_identifier: "s",
  }, {
    temperature: 0.2,
    top_p: 0.9,
    user: "u",
    service_tier: "flex",
    prompt_cache_key: "k",
    safety_identifier: "s",
  }],
  ["unknown fields", { seed: 7, stop: ["x"], top_k: 3 }, { seed: 7, stop: ["x"], top_k: 3 }],
  ["null fields", { temperature: null, text: null, reasoning: null, n: null, include: null }, {}],
  [
    "what only says how to store, cut or count",
    {
      metadata: { a: "b" },
      truncation: "auto",
      max_tool_calls: 3,
      stream: true,
      stream_options: { include_obfuscation: false },
      store: false,
      background: false,
      context_management: [{ type: "compaction" }],
    },
    {},
  ],
  ["text.format text", { text: { format: { type: "text" } } }, {}],
  ["an empty text", { text: {} }, {}],
  ["text.format json_object", { text: { format: { type: "json_object" } } }, {
    response_format: { type: "json_object" },
  }],
  ["text.format json_schema", {
    text: {
      format: { type: "json_schema", name: "n", description: "d", schema: SCHEMA, strict: true },
      verbosity: "low",
    },
  }, {
    response_format: {
      type: "json_schema",
      json_schema: { name: "n", description: "d", schema: SCHEMA, strict: true },
    },
    verbosity: "low",
  }],
  ["a json_schema without more", {
    text: { format: { type: "json_schema", name: "n", schema: SCHEMA, strict: null } },
  }, { response_format: { type: "json_schema", json_schema: { name: "n", schema: SCHEMA } } }],
  ["reasoning", { reasoning: { effort: "low", summary: "auto" } }, { reasoning_effort: "low" }],
  ["reasoning without effort", { reasoning: { effort: null } }, {}],
  ["top_logprobs", { top_logprobs: 3 }, { logprobs: true, top_logprobs: 3 }],
  ["no top_logprobs", { top_logprobs: 0 }, {}],
  ["include", { include: ["message.output_text.logprobs", "reasoning.encrypted_content"] }, {
    logprobs: true,
  }],
  ["n of 1", { n: 1 }, { n: 1 }],
];
for (const [name, body, expected] of FIELDS) {
  Deno.test(`toChatCall() converts ${name}`, () => {
    const call = responseCall(body);
    const before = structuredClone(call.body);
    const chat = toChatCall(call);
    assert.deepEqual(chat.body, { model: "model", messages: MESSAGES, ...expected });
    assert.equal(chat.route, call.route);
    assert.deepEqual(call.body, before);
  });
}

const REFUSED: readonly [JsonObject, string, string][] = [
  [{ prompt: { id: "pmpt_1" } }, "prompt", "not_supported"],
  [{ messages: [] }, "messages", "invalid_value"],
  [{ max_tokens: 5 }, "max_tokens", "invalid_value"],
  [{ max_completion_tokens: 5 }, "max_completion_tokens", "invalid_value"],
  [{ response_format: { type: "json_object" } }, "response_format", "invalid_value"],
  [{ reasoning_effort: "low" }, "reasoning_effort", "invalid_value"],
  [{ functions: [] }, "functions", "invalid_value"],
  [{ n: 2 }, "n", "invalid_value"],
  [{ modalities: ["audio"] }, "modalities", "invalid_value"],
  [{ text: "json" }, "text", "invalid_value"],
  [{ text: { format: "json" } }, "text.format", "invalid_value"],
  [{ text: { format: { type: "xml" } } }, "text.format", "invalid_value"],
  [{ text: { format: { type: "json_schema", schema: {} } } }, "text.format", "invalid_value"],
  [{ include: "all" }, "include", "invalid_value"],
  [{ max_output_tokens: 0 }, "max_output_tokens", "invalid_value"],
  [{ max_output_tokens: 1.5 }, "max_output_tokens", "invalid_value"],
  [{ max_output_tokens: "9" }, "max_output_tokens", "invalid_value"],
  [{ instructions: [] }, "instructions", "invalid_value"],
  [{ input: [] }, "input", "invalid_value"],
  [{ input: undefined }, "input", "invalid_value"],
];
for (const [body, param, code] of REFUSED) {
  Deno.test(`toChatCall() refuses ${JSON.stringify(body)} by name`, () => {
    assert.throws(() => toChatCall(responseCall(body)), (error: JsonObject) => {
      assert.equal(error.name, "UpstreamError");
      const { failure, status } = error;
      assert.deepEqual({ failure, status, code: error.code, param: error.param }, {
        failure: "caller",
        status: 400,
        code,
        param,
      });
      assert.ok((error.publicMessage as string).includes(`'${param.split(".")[0]}`));
      assert.ok(!(error.publicMessage as string).endsWith("."));
      return true;
    });
  });
}

Deno.test("toChatCall() puts instructions before the conversation", () => {
  const { body } = toChatCall(responseCall({ instructions: "Be brief" }));
  assert.deepEqual(body.messages, [{ role: "system", content: "Be brief" }, ...MESSAGES]);
});

Deno.test("toChatCall() takes the caller's limit for the cap where there is none", () => {
  const capOf = (body: JsonObject, outputTokensCap?: number) =>
    toChatCall(responseCall(body, outputTokensCap === undefined ? {} : { outputTokensCap }))
      .outputTokensCap;
  assert.equal(capOf({ max_output_tokens: 64 }), 64);
  assert.equal(capOf({ max_output_tokens: 64 }, 32), 32);
  assert.equal(capOf({ max_output_tokens: 64 }, 128), 128);
  assert.equal(capOf({}, 128), 128);
  assert.equal(capOf({ max_output_tokens: null }), undefined);
});

Deno.test("toChatCall() gives the limit the name that the upstream knows", () => {
  const sent = (
    route: Parameters<typeof chatRoute>[0],
    limitField: "max_tokens" | "max_completion_tokens",
  ) => {
    const call = responseCall({ max_output_tokens: 64 }, { route: chatRoute(route) });
    const { max_tokens, max_completion_tokens } = convertRequest(toChatCall(call), {
      stream: false,
      limitField,
    });
    return { max_tokens, max_completion_tokens };
  };
  const older = { max_tokens: 64, max_completion_tokens: undefined };
  const newer = { max_tokens: undefined, max_completion_tokens: 64 };
  assert.deepEqual(sent({}, "max_tokens"), older);
  assert.deepEqual(sent({}, "max_completion_tokens"), newer);
  assert.deepEqual(sent({ body: { drop: ["max_tokens"] } }, "max_tokens"), newer);
  // A route's default gives way to the caller's limit, whichever is lower.
  assert.deepEqual(sent({ body: { default: { max_tokens: 8 } } }, "max_completion_tokens"), older);
});
