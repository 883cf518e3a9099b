/**
 * A request of the Responses API as a chat request.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { ProviderCall } from "../provider.ts";
import { invalidField, notInChat } from "./caller_error.ts";
import { toChatMessages } from "./chat_messages.ts";
import { toChatTools } from "./chat_tools.ts";

/**
 * Fields that are converted or that chat has no use for: `truncation` and
 * `context_management` only say what may be done with a conversation that is too
 * long (the upstream refuses it), `max_tool_calls` counts tools that servers run,
 * `metadata` is a label on what is stored, and that is stored here.
 */
const CONVERTED = new Set([
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text",
  "reasoning",
  "max_output_tokens",
  "include",
  "top_logprobs",
  "truncation",
  "context_management",
  "max_tool_calls",
  "metadata",
  "stream",
  "stream_options",
  "store",
  "background",
]);

/** Chat's own names, which would get around what was checked: where the Responses API has each. */
const MOVED: Readonly<Record<string, string>> = {
  messages: "input",
  functions: "tools",
  function_call: "tool_choice",
  max_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  response_format: "text.format",
  verbosity: "text.verbosity",
  reasoning_effort: "reasoning.effort",
  logprobs: "include",
};

/** What chat could do, but a Response could not carry back. */
const WITHOUT_PLACE = ["n", "modalities", "audio"];

/**
 * Converts a call. Fields of the same name and unknown ones pass through, null
 * ones are left out. The output limit is the call's cap, so that it is sent under the
 * name that the upstream knows.
 *
 * @throws {UpstreamError} `caller` (400) for what chat cannot do, by name.
 */
export function toChatCall(call: ProviderCall): ProviderCall {
  const { body, route } = call;
  refuseOthers(body);
  const chat: JsonObject = {};
  for (const field in body) {
    const value = body[field];
    if (value !== null && value !== undefined && !CONVERTED.has(field)) chat[field] = value;
  }
  chat.messages = toChatMessages(body.input, {
    instructions: body.instructions,
    keepsReasoning: !route.body.drop.includes("reasoning_content"),
  });
  Object.assign(chat, toChatTools(body), textFields(body.text), logprobFields(body));
  const effort = isObject(body.reasoning) ? nonEmptyString(body.reasoning.effort) : undefined;
  if (effort !== undefined) chat.reasoning_effort = effort;
  return { ...call, body: chat, outputTokensCap: limitOf(call) };
}

function refuseOthers(body: Readonly<JsonObject>): void {
  if (isGiven(body.prompt)) throw notInChat("prompt", "a 'prompt' template");
  for (const field in MOVED) {
    if (!isGiven(body[field])) continue;
    throw invalidField(
      field,
      `Unsupported parameter: '${field}' belongs to chat completions. In the Responses API it is '${
        MOVED[field]
      }'`,
    );
  }
  for (const field of WITHOUT_PLACE) {
    if (isGiven(body[field]) && !(field === "n" && body.n === 1)) {
      throw invalidField(field, `Unsupported parameter: the Responses API has no '${field}'`);
    }
  }
}

/** `text.format` and `text.verbosity`. */
function textFields(text: unknown): JsonObject {
  if (!isGiven(text)) return {};
  if (!isObject(text)) throw invalidField("text", "Invalid value for 'text': expected an object");
  const response_format = responseFormat(text.format);
  const verbosity = nonEmptyString(text.verbosity);
  return {
    ...(response_format !== undefined && { response_format }),
    ...(verbosity !== undefined && { verbosity }),
  };
}

function responseFormat(format: unknown): JsonObject | undefined {
  if (!isGiven(format)) return undefined;
  const type = isObject(format) ? format.type : undefined;
  if (!isObject(format) || (type !== "text" && type !== "json_object" && type !== "json_schema")) {
    throw invalidField(
      "text.format",
      "Invalid value for 'text.format': expected a type of 'text', 'json_object' or 'json_schema'",
    );
  }
  if (type === "text") return undefined;
  if (type === "json_object") return { type };
  if (nonEmptyString(format.name) === undefined || !isObject(format.schema)) {
    throw invalidField(
      "text.format",
      "Invalid value for 'text.format': a 'json_schema' needs a 'name' and a 'schema'",
    );
  }
  const { name, description, schema, strict } = format;
  return {
    type,
    json_schema: {
      name,
      ...(typeof description === "string" && { description }),
      schema,
      ...(typeof strict === "boolean" && { strict }),
    },
  };
}

/** Log probabilities are asked for by either field; the rest of `include` is about tools that servers run. */
function logprobFields({ include, top_logprobs }: Readonly<JsonObject>): JsonObject {
  if (isGiven(include) && !Array.isArray(include)) {
    throw invalidField("include", "Invalid value for 'include': expected a list");
  }
  const wantsMore = isGiven(top_logprobs) && top_logprobs !== 0;
  const isIncluded = Array.isArray(include) && include.includes("message.output_text.logprobs");
  if (!wantsMore && !isIncluded) return {};
  return { logprobs: true, ...(wantsMore && { top_logprobs }) };
}

/** The cap, which the caller's limit is part of. */
function limitOf({ body, outputTokensCap }: ProviderCall): number | undefined {
  const limit = body.max_output_tokens;
  if (!isGiven(limit)) return outputTokensCap;
  if (typeof limit !== "number" || !Number.isSafeInteger(limit) || limit < 1) {
    throw invalidField(
      "max_output_tokens",
      "Invalid value for 'max_output_tokens': expected a whole number, at least 1",
    );
  }
  return outputTokensCap ?? limit;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
