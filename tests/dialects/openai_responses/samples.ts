/**
 * Requests of the Responses API of every kind that other dialects know too, for the conformance of
 * dialects.
 *
 * @module
 */

import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const SCHEMA = { type: "object", properties: {}, additionalProperties: false };

const PARTS: readonly JsonObject[] = [
  { type: "input_text", text: "Look" },
  { type: "input_image", image_url: PNG, detail: "low" },
  { type: "input_image", image_url: "https://example.com/a.png" },
  { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
  { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
];

const TOOLS: readonly JsonObject[] = [
  { type: "function", name: "f", description: "F", parameters: SCHEMA, strict: true },
  { type: "function", name: "g" },
  {
    type: "custom",
    name: "c",
    format: { type: "grammar", syntax: "lark", definition: "start: A" },
  },
];

const FIELDS: JsonObject = {
  temperature: 0.2,
  top_p: 0.9,
  stop: ["x"],
  seed: 7,
  user: "u",
  max_output_tokens: 64,
  reasoning: { effort: "low", summary: "auto" },
  parallel_tool_calls: true,
  service_tier: "flex",
  prompt_cache_key: "k",
  vendor_field: { a: [1] },
  top_logprobs: 2,
  metadata: { a: "b" },
  truncation: "auto",
  store: false,
  text: {
    format: { type: "json_schema", name: "n", description: "d", schema: SCHEMA, strict: true },
    verbosity: "low",
  },
};

/** A request whose conversation is whole. */
export function sampleRequest(random: SeededRandom): JsonObject {
  const isChosen = () => random.next() < 0.5;
  const body: JsonObject = { model: "m", input: itemsOf(random) };
  for (const field in FIELDS) if (isChosen()) body[field] = FIELDS[field];
  if (isChosen()) body.instructions = "Be brief";
  if (isChosen()) {
    body.tools = TOOLS;
    body.tool_choice = random.pick(["auto", "required", { type: "function", name: "f" }, {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "custom", name: "c" }],
    }]);
  } else delete body.parallel_tool_calls;
  return body;
}

function itemsOf(random: SeededRandom): JsonObject[] {
  const items: JsonObject[] = [];
  for (let turn = 0; turn < random.integer(1, 4); turn++) {
    const parts = PARTS.filter(() => random.next() < 0.5);
    items.push({ role: "user", content: parts.length > 0 ? parts : `Hello ${turn}` });
    if (random.next() < 0.3) items.push({ role: "developer", content: "Now in French" });
    if (random.next() < 0.5) items.push(thought());
    if (random.next() < 0.5) items.push(said(`Answer ${turn}`));
    if (random.next() < 0.5) items.push(...callsOf(turn, random));
  }
  return items;
}

function callsOf(turn: number, random: SeededRandom): JsonObject[] {
  const ids = Array.from({ length: random.integer(1, 3) }, (_, at) => `call_${turn}_${at}`);
  const isCustom = random.next() < 0.3;
  return [
    ...ids.map((call_id) =>
      isCustom
        ? { type: "custom_tool_call", call_id, name: "c", input: "go" }
        : { type: "function_call", call_id, name: "f", arguments: `{"a":"${call_id}"}` }
    ),
    ...ids.map((call_id) => ({
      type: isCustom ? "custom_tool_call_output" : "function_call_output",
      call_id,
      output: `did ${call_id}`,
    })),
  ];
}

function said(text: string): JsonObject {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
}

function thought(): JsonObject {
  return { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm" }] };
}
