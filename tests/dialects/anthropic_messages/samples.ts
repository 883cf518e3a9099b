/**
 * Requests for messages of every kind, for the conformance of dialects.
 *
 * @module
 */

import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";

const MARK = { cache_control: { type: "ephemeral" } };
const SCHEMA = { type: "object", properties: {}, additionalProperties: false };

const PARTS: readonly JsonObject[] = [
  { type: "text", text: "Look" },
  { type: "text", text: "kept", ...MARK },
  { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
  { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
  {
    type: "document",
    title: "a.pdf",
    source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
  },
];

const TOOLS: readonly JsonObject[] = [
  { name: "f", description: "F", input_schema: SCHEMA, strict: true },
  { name: "g", type: "custom", input_schema: { type: "object" }, ...MARK },
];

const FIELDS: JsonObject = {
  system: [{ type: "text", text: "Be kind", ...MARK }, { type: "text", text: "Be short" }],
  temperature: 0.2,
  top_p: 0.9,
  top_k: 5,
  stop_sequences: ["x", "y"],
  output_config: { effort: "low", format: { type: "json_schema", schema: SCHEMA } },
  tool_choice: { type: "any", disable_parallel_tool_use: true },
};

/** A request that an upstream of the dialect would take. */
export function sampleRequest(random: SeededRandom): JsonObject {
  const body: JsonObject = { model: "m", max_tokens: 64, messages: conversation(random) };
  for (const field in FIELDS) if (random.chance(0.4)) body[field] = FIELDS[field];
  if (random.chance(0.6)) body.tools = TOOLS.slice(0, random.integer(1, TOOLS.length));
  return body;
}

function conversation(random: SeededRandom): JsonObject[] {
  const messages: JsonObject[] = [];
  for (let turn = 0; turn < random.integer(0, 2); turn++) {
    const id = `toolu_${turn}`;
    messages.push(
      { role: "user", content: random.chance(0.5) ? "Hello" : [random.pick(PARTS)] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm", signature: "tg1.thoughts" },
          { type: "text", text: "I will look" },
          { type: "tool_use", id, name: "f", input: { a: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "x" }] },
          { type: "text", text: "Go on" },
        ],
      },
    );
  }
  return [...messages, { role: "user", content: [random.pick(PARTS)] }];
}
