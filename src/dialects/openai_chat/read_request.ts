/**
 * A chat request in the neutral form.
 *
 * @module
 */

import {
  asArray,
  asCount,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { type Place, readFields } from "../openai/settings.ts";
import type { OutputFormat, TurnsRequest } from "../turns/turns_request.ts";
import { OPENAI_CHAT } from "./name.ts";
import { readMessages } from "./read_messages.ts";
import { readTools } from "./read_tools.ts";

/** Fields of chat. What biases words or predicts them makes no other answer where it is left out. */
const PLACES: ReadonlyMap<string, Place> = new Map(Object.entries({
  model: "read",
  messages: "read",
  tools: "read",
  tool_choice: "read",
  parallel_tool_calls: "read",
  functions: "read",
  function_call: "read",
  max_tokens: "read",
  max_completion_tokens: "read",
  reasoning_effort: "read",
  verbosity: "read",
  logit_bias: "own",
  prediction: "own",
  metadata: "own",
  store: "own",
  stream: "own",
  stream_options: "own",
  n: "needed",
  modalities: "needed",
  audio: "needed",
  web_search_options: "needed",
}));

/**
 * Reads a request. What is not of chat's schema is said by the upstream.
 *
 * @throws {UpstreamError} `caller` (400), naming a message that is none.
 */
export function readRequest(body: Readonly<JsonObject>): TurnsRequest {
  const format = readFormat(body.response_format);
  const hasLogprobs = body.logprobs === true;
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
    ...(hasLogprobs && {
      logprobs: typeof body.top_logprobs === "number" ? { top: body.top_logprobs } : {},
    }),
    ...(limits.length > 0 && { maxOutputTokens: Math.min(...limits) }),
    ...readFields(body, OPENAI_CHAT, (field, value) => {
      if (saysNothing(field, value)) return "own";
      if (field === "response_format") return format === undefined ? undefined : "read";
      if (field === "logprobs" || field === "top_logprobs") return hasLogprobs ? "read" : undefined;
      return PLACES.get(field);
    }),
  };
}

/** Whether a field that others would refuse asks for what every answer is. */
function saysNothing(field: string, value: unknown): boolean {
  switch (field) {
    case "n":
      return value === 1;
    case "modalities":
      return asArray(value).every((one) => one === "text");
    case "response_format":
      return asObject(value)?.type === "text";
    case "logprobs":
      return value === false;
    case "top_logprobs":
      return value === 0;
    default:
      return false;
  }
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
