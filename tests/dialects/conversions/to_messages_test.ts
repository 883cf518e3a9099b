/**
 * What a chat's settings become for an upstream of Anthropic's dialect, model by model.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

const MESSAGES = [{ role: "user", content: "Hi" }];
const SAID = [{ role: "user", content: [{ type: "text", text: "Hi" }] }];

function write(model: string, body: JsonObject): JsonObject {
  const request = DIALECTS.openai_chat.callers!.readRequest({ model, messages: MESSAGES, ...body });
  const { model: _, ...written } = DIALECTS.anthropic_messages.upstreams!.writeRequest(request, {
    keepsReasoning: true,
    model,
  });
  return written;
}

const SCHEMA = { type: "object", properties: {} };
const TOOL = { type: "function", function: { name: "f" } };
const OWN_TOOL = { name: "f", input_schema: { type: "object" } };
const FORMAT = { type: "json_schema", json_schema: { name: "n", schema: SCHEMA } };

const CASES: readonly (readonly [string, model: string, body: JsonObject, more: JsonObject])[] = [
  ["temperature is clamped", "claude-sonnet-4-6", { temperature: 1.7, top_p: 0.5 }, {
    temperature: 1,
  }],
  ["top_p goes alone", "claude-opus-4-5", { top_p: 0.5 }, { top_p: 0.5 }],
  ["newer models take neither", "claude-opus-5", { temperature: 0.5, top_p: 0.5 }, {}],
  ["what it has not makes no other answer", "claude-opus-4-6", {
    seed: 1,
    presence_penalty: 1,
    logit_bias: { 1: 1 },
    service_tier: "flex",
    prompt_cache_key: "k",
  }, {}],
  ["an effort", "claude-opus-5-5", { reasoning_effort: "xhigh" }, {
    thinking: { type: "adaptive" },
    output_config: { effort: "xhigh" },
  }],
  ["an effort beyond what the model has", "claude-sonnet-4-6", { reasoning_effort: "max" }, {
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
  }],
  ["no thoughts", "claude-opus-4-8", { reasoning_effort: "none" }, {
    thinking: { type: "disabled" },
  }],
  ["the least thoughts, where there are always some", "claude-sonnet-5-5", {
    reasoning_effort: "none",
  }, { output_config: { effort: "low" } }],
  ["a budget of older models", "claude-sonnet-4-5", { reasoning_effort: "high" }, {
    thinking: { type: "enabled", budget_tokens: 4_096 },
  }],
  ["a budget below the limit", "claude-haiku-4-5", {
    reasoning_effort: "high",
    max_completion_tokens: 2_000,
  }, { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 1_999 } }],
  ["no budget below the least one", "claude-haiku-4-5", {
    reasoning_effort: "high",
    max_completion_tokens: 500,
  }, { max_tokens: 500 }],
  ["with thoughts no temperature", "claude-sonnet-4-5", {
    reasoning_effort: "low",
    temperature: 0.3,
  }, { thinking: { type: "enabled", budget_tokens: 1_024 } }],
  ["a demanded call", "claude-haiku-5-5", { tools: [TOOL], tool_choice: "required" }, {
    tools: [OWN_TOOL],
    tool_choice: { type: "any" },
  }],
  ["a demanded call instead of thoughts", "claude-sonnet-4-5", {
    tools: [TOOL],
    tool_choice: "required",
    reasoning_effort: "high",
    temperature: 0.3,
  }, { tools: [OWN_TOOL], tool_choice: { type: "any" }, temperature: 0.3 }],
  ["a demanded call with an effort", "claude-haiku-5-5", {
    tools: [TOOL],
    tool_choice: { type: "function", function: { name: "f" } },
    reasoning_effort: "high",
  }, {
    tools: [OWN_TOOL],
    tool_choice: { type: "tool", name: "f" },
    output_config: { effort: "high" },
  }],
  ["thoughts where a call is left to it", "claude-sonnet-4-5", {
    tools: [TOOL],
    tool_choice: "auto",
    reasoning_effort: "low",
  }, {
    tools: [OWN_TOOL],
    tool_choice: { type: "auto" },
    thinking: { type: "enabled", budget_tokens: 1_024 },
  }],
  ["a demanded call of a model that cannot be made to", "claude-opus-5-5", {
    tools: [TOOL],
    tool_choice: { type: "function", function: { name: "f" } },
  }, { tools: [OWN_TOOL], tool_choice: { type: "auto" } }],
  ["a schema", "claude-opus-5", { response_format: FORMAT }, {
    output_config: {
      format: { type: "json_schema", schema: { ...SCHEMA, additionalProperties: false } },
    },
  }],
];

for (const [name, model, body, more] of CASES) {
  Deno.test(`chat as Messages: ${name}`, () => {
    assert.deepEqual(write(model, body), { messages: SAID, ...more });
  });
}

Deno.test("chat as Messages: a form of the answer that there is no field for is asked for in words", () => {
  for (
    const [model, format] of [
      ["claude-opus-5", { type: "json_object" }],
      ["claude-3-haiku", FORMAT],
    ] as const
  ) {
    const { system, output_config } = write(model, { response_format: format });
    assert.equal(output_config, undefined);
    assert.match(JSON.stringify(system), /JSON object/);
  }
});

const REFUSED: readonly (readonly [string, JsonObject])[] = [
  ["n", { n: 2 }],
  ["modalities", { modalities: ["text", "audio"] }],
  ["logprobs", { logprobs: true }],
  ["tools[0].type", { tools: [{ type: "custom", custom: { name: "c" } }] }],
  ["messages[0].content[0].type", {
    messages: [{
      role: "user",
      content: [{ type: "input_audio", input_audio: { data: "AA", format: "wav" } }],
    }],
  }],
  ["messages[0].tool_calls[0]", {
    messages: [{
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{" } }],
    }],
  }],
];

for (const [param, body] of REFUSED) {
  Deno.test(`chat as Messages: ${param} is refused by name`, () => {
    assert.throws(() => write("claude-opus-5", body), { param });
  });
}
