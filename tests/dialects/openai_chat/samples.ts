/**
 * Chat requests of every kind, for the conformance of dialects.
 *
 * @module
 */

import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const SCHEMA = { type: "object", properties: {}, additionalProperties: false };

const PARTS: readonly JsonObject[] = [
  { type: "text", text: "Look" },
  { type: "text", text: "kept", cache_control: { type: "ephemeral" } },
  { type: "image_url", image_url: { url: PNG } },
  { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
  {
    type: "file",
    file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
  },
  { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
];

const TOOLS: readonly JsonObject[] = [
  { type: "function", function: { name: "f", description: "F", parameters: SCHEMA, strict: true } },
  { type: "function", function: { name: "g" }, cache_control: { type: "ephemeral" } },
  {
    type: "custom",
    custom: {
      name: "c",
      format: { type: "grammar", grammar: { syntax: "lark", definition: "start: A" } },
    },
  },
];

const FIELDS: JsonObject = {
  temperature: 0.2,
  top_p: 0.9,
  stop: ["x", "y"],
  seed: 7,
  user: "u",
  presence_penalty: 1,
  frequency_penalty: -1,
  max_completion_tokens: 64,
  reasoning_effort: "low",
  verbosity: "high",
  parallel_tool_calls: false,
  service_tier: "flex",
  prompt_cache_key: "k",
  n: 2,
  logit_bias: { 5: 1 },
  vendor_field: { a: [1] },
  response_format: {
    type: "json_schema",
    json_schema: { name: "n", description: "d", schema: SCHEMA, strict: true },
  },
};

/** A request that a chat upstream would take. */
export function sampleRequest(random: SeededRandom): JsonObject {
  const isChosen = () => random.next() < 0.5;
  const body: JsonObject = { model: "m", messages: messagesOf(random) };
  for (const field in FIELDS) if (isChosen()) body[field] = FIELDS[field];
  if (isChosen()) Object.assign(body, { logprobs: true, ...(isChosen() && { top_logprobs: 3 }) });
  if (body.response_format === undefined && isChosen()) {
    body.response_format = { type: "json_object" };
  }
  if (isChosen()) {
    body.tools = TOOLS;
    body.tool_choice = random.pick([
      "auto",
      "none",
      "required",
      { type: "function", function: { name: "f" } },
      { type: "custom", custom: { name: "c" } },
    ]);
  } else if (random.chance(0.5)) {
    body.functions = [{ name: "f", description: "F", parameters: SCHEMA }];
    body.function_call = random.pick(["auto", "none", { name: "f" }]);
  } else delete body.parallel_tool_calls;
  return body;
}

function messagesOf(random: SeededRandom): JsonObject[] {
  const messages: JsonObject[] = [];
  if (random.next() < 0.5) {
    messages.push({ role: random.pick(["system", "developer"]), content: "Be brief" });
  }
  for (let turn = 0; turn < random.integer(1, 4); turn++) {
    const parts = PARTS.filter(() => random.next() < 0.5);
    messages.push({ role: "user", content: parts.length > 0 ? parts : `Hello ${turn}` });
    if (random.next() < 0.5) messages.push({ role: "assistant", content: `Answer ${turn}` });
    if (random.next() < 0.5) messages.push(...callsOf(turn, random));
  }
  return messages;
}

function callsOf(turn: number, random: SeededRandom): JsonObject[] {
  const ids = Array.from({ length: random.integer(1, 3) }, (_, at) => `call_${turn}_${at}`);
  const isCustom = random.next() < 0.3;
  return [
    {
      role: "assistant",
      content: random.pick([null, "Let me see"]),
      ...(random.next() < 0.5 && { reasoning_content: "Hm" }),
      tool_calls: ids.map((id) =>
        isCustom
          ? { id, type: "custom", custom: { name: "c", input: "go" } }
          : { id, type: "function", function: { name: "f", arguments: `{"a":"${id}"}` } }
      ),
    },
    ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: `did ${id}` })),
  ];
}
