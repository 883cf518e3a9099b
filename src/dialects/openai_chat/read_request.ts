/**
 * A chat request in the neutral form.
 *
 * @module
 */

import {
  asCount,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { OPENAI } from "../openai/family.ts";
import { settingOf } from "../openai/settings.ts";
import type { OutputFormat, TurnsRequest } from "../turns/turns_request.ts";
import { OPENAI_CHAT } from "./name.ts";
import { readMessages } from "./read_messages.ts";
import { readTools } from "./read_tools.ts";

/** Fields that are said in the neutral form. */
const READ = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "verbosity",
]);

/** Fields that only chat has. */
const OWN = new Set([
  "n",
  "modalities",
  "audio",
  "functions",
  "function_call",
  "logit_bias",
  "prediction",
  "stream",
  "stream_options",
  "web_search_options",
]);

/**
 * Reads a request. What is not of chat's schema is said by the upstream; fields that nobody here
 * knows are shared by the family.
 *
 * @throws {UpstreamError} `caller` (400), naming a message that is none.
 */
export function readRequest(body: Readonly<JsonObject>): TurnsRequest {
  const shared: JsonObject = {};
  const own: JsonObject = {};
  const settings: JsonObject = {};
  const format = readFormat(body.response_format);
  const wantsLogprobs = body.logprobs === true;
  for (const field in body) {
    const value = body[field];
    if (value === null || value === undefined || READ.has(field)) continue;
    if (field === "response_format" && format !== undefined) continue;
    if ((field === "logprobs" || field === "top_logprobs") && wantsLogprobs) continue;
    const setting = settingOf(field, value);
    if (setting !== undefined) settings[setting] = value;
    else (OWN.has(field) ? own : shared)[field] = value;
  }
  const limits = [asCount(body.max_completion_tokens), asCount(body.max_tokens)]
    .filter((limit) => limit !== undefined);
  const effort = nonEmptyString(body.reasoning_effort);
  const verbosity = nonEmptyString(body.verbosity);
  return {
    model: body.model,
    instructions: [],
    turns: readMessages(body.messages),
    ...readTools(body),
    ...(format !== undefined && { format }),
    ...(verbosity !== undefined && { verbosity }),
    ...(effort !== undefined && { effort }),
    ...(wantsLogprobs && {
      logprobs: typeof body.top_logprobs === "number" ? { top: body.top_logprobs } : {},
    }),
    ...(limits.length > 0 && { maxOutputTokens: Math.min(...limits) }),
    settings,
    shared: { of: OPENAI.name, fields: shared },
    extra: { of: OPENAI_CHAT, fields: own },
    others: [],
  };
}

function readFormat(given: unknown): OutputFormat | undefined {
  const { type, json_schema: named } = asObject(given) ?? {};
  if (type === "json_object") return { type: "json" };
  if (type !== "json_schema" || !isObject(named) || !isObject(named.schema)) return undefined;
  const { name, description, schema, strict } = named;
  return {
    type: "schema",
    name: nonEmptyString(name) ?? "answer",
    ...(typeof description === "string" && { description }),
    schema,
    ...(typeof strict === "boolean" && { strict }),
  };
}
