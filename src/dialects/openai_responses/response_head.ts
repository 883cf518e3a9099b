/**
 * A Response object before its output: what was asked for, said back; and its usage.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import type { AnswerHead } from "../turns/answer_sink.ts";
import { detailsBody } from "../openai/usage_parts.ts";
import { completionTokens, promptTokens, type Work } from "../../domain/work.ts";

/** Settings that are said back as they came, and what stands there when none came. */
const SETTINGS: Readonly<Record<string, unknown>> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: "auto",
  top_logprobs: 0,
  top_p: null,
  truncation: "disabled",
};

/** Said back only when given: OpenAI's schema has no null for them. */
const OPTIONAL_SETTINGS = [
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
];

/** Every word that a Response may have for its tier; vendors have others. */
const SERVICE_TIERS = new Set([
  "auto",
  "default",
  "flex",
  "scale",
  "priority",
  "fast",
  "ultrafast",
]);

/**
 * Makes the object, `in_progress` and without output.
 *
 * @param request The caller's body, in the form of the Responses API.
 * @param head The answer's own id, model and time.
 */
export function responseHead(
  request: Readonly<JsonObject>,
  { id, model, created }: Partial<AnswerHead>,
): JsonObject {
  const head: JsonObject = {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    status: "in_progress",
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    previous_response_id: null,
    metadata: isObject(request.metadata) ? request.metadata : {},
    reasoning: { effort: null, summary: null, ...objectOf(request.reasoning) },
    text: { format: { type: "text" }, ...withoutNulls(objectOf(request.text)) },
    tools: Array.isArray(request.tools) ? request.tools.map(toolAsShown) : [],
  };
  for (const field in SETTINGS) head[field] = request[field] ?? SETTINGS[field];
  for (const field of OPTIONAL_SETTINGS) {
    if (request[field] !== undefined && request[field] !== null) head[field] = request[field];
  }
  return head;
}

/** Sets the tier that served, if the answer says one that a Response may name. */
export function showServiceTier(response: JsonObject, tier: unknown): void {
  if (typeof tier === "string" && SERVICE_TIERS.has(tier)) response.service_tier = tier;
}

/** A tool with the keys that a Response always has; chat is not strict unless asked. */
function toolAsShown(tool: unknown): unknown {
  if (!isObject(tool) || tool.type !== "function") return tool;
  return { ...tool, parameters: tool.parameters ?? null, strict: tool.strict ?? false };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/**
 * The object on the wire: counts under the names of the Responses API.
 *
 * @param raw An upstream's usage object, under its names or those of chat: its other
 * fields are kept.
 */
export function responseUsageBody(work: Work, raw: JsonObject = {}): JsonObject {
  const prompt = promptTokens(work);
  const completion = completionTokens(work);
  // What is counted under chat's names would be said twice, and not the same.
  const {
    prompt_tokens: _prompt,
    completion_tokens: _completion,
    prompt_tokens_details: promptDetails,
    completion_tokens_details: completionDetails,
    ...others
  } = raw;
  return {
    ...others,
    input_tokens: prompt,
    input_tokens_details: detailsBody(
      work,
      "prompt",
      detailsOf(raw.input_tokens_details, promptDetails),
    ),
    output_tokens: completion,
    output_tokens_details: detailsBody(
      work,
      "completion",
      detailsOf(raw.output_tokens_details, completionDetails),
    ),
    total_tokens: prompt + completion,
  };
}

function detailsOf(...details: readonly unknown[]): JsonObject | undefined {
  return details.find(isObject);
}
