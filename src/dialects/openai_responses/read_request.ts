/**
 * A request of the Responses API in the neutral form.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { type Place, readFields } from "../openai/settings.ts";
import { invalidField } from "../turns/refusals.ts";
import type { OutputFormat, TurnsRequest } from "../turns/turns_request.ts";
import { asksForCompaction, summaryRequest } from "./compaction.ts";
import { OPENAI_RESPONSES } from "./schemas.ts";
import { isUpdate, readItems } from "./read_items.ts";
import { isGiven, stringOf } from "./read_parts.ts";
import { readTools } from "./read_tools.ts";

/**
 * Fields of the Responses API. Those of its own no other dialect has a use for: `truncation` and
 * `context_management` only say what may be done with a conversation that is too long (the
 * upstream refuses it), `max_tool_calls` counts tools that servers run, `metadata` is a label on
 * what is stored, and that is stored here. Of `text`, `reasoning` and `include` the rest is read.
 */
const PLACES: ReadonlyMap<string, Place> = new Map(Object.entries({
  model: "read",
  input: "read",
  instructions: "read",
  tools: "read",
  tool_choice: "read",
  parallel_tool_calls: "read",
  max_output_tokens: "read",
  top_logprobs: "read",
  text: "own",
  reasoning: "own",
  include: "own",
  truncation: "own",
  context_management: "own",
  max_tool_calls: "own",
  client_metadata: "own",
  metadata: "own",
  stream: "own",
  stream_options: "own",
  store: "own",
  background: "own",
  prompt: "needed",
}));

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
 * Reads a request.
 *
 * @throws {UpstreamError} `caller` (400), naming the field that is wrong.
 */
export function readRequest(asked: Readonly<JsonObject>): TurnsRequest {
  const body = asksForCompaction(asked) ? summaryRequest(asked) : asked;
  refuseOthers(body);
  const maxOutputTokens = limitOf(body.max_output_tokens);
  const effort = effortIn(body);
  return {
    model: body.model,
    instructions: isGiven(body.instructions) && body.instructions !== ""
      ? [{
        type: "text",
        text: stringOf(body.instructions, "instructions"),
        at: "instructions",
      }]
      : [],
    turns: readItems(body.input),
    ...readTools(body),
    ...readText(body.text),
    ...readLogprobs(body),
    ...(effort !== undefined && { effort }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...readFields(body, OPENAI_RESPONSES, (field) => PLACES.get(field)),
  };
}

/** How much it is to think: what an item of the conversation said last, else the request. */
function effortIn({ input, reasoning }: Readonly<JsonObject>): string | undefined {
  const updates = Array.isArray(input) ? input.filter(isUpdate) : [];
  return [reasoning, ...updates.map((item) => item.reasoning)]
    .map((one) => isObject(one) ? nonEmptyString(one.effort) : undefined)
    .findLast((one) => one !== undefined);
}

function refuseOthers(body: Readonly<JsonObject>): void {
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
function readText(text: unknown): Pick<TurnsRequest, "format" | "verbosity"> {
  if (!isGiven(text)) return {};
  if (!isObject(text)) throw invalidField("text", "Invalid value for 'text': expected an object");
  const format = readFormat(text.format);
  const verbosity = nonEmptyString(text.verbosity);
  return {
    ...(format !== undefined && { format }),
    ...(verbosity !== undefined && { verbosity }),
  };
}

function readFormat(format: unknown): OutputFormat | undefined {
  if (!isGiven(format)) return undefined;
  const type = isObject(format) ? format.type : undefined;
  if (!isObject(format) || (type !== "text" && type !== "json_object" && type !== "json_schema")) {
    throw invalidField(
      "text.format",
      "Invalid value for 'text.format': expected a type of 'text', 'json_object' or 'json_schema'",
    );
  }
  if (type === "text") return undefined;
  if (type === "json_object") return { type: "json" };
  const name = nonEmptyString(format.name);
  const { schema, description, strict } = format;
  if (name === undefined || !isObject(schema)) {
    throw invalidField(
      "text.format",
      "Invalid value for 'text.format': a 'json_schema' needs a 'name' and a 'schema'",
    );
  }
  return {
    type: "schema",
    name,
    ...(typeof description === "string" && { description }),
    schema,
    ...(typeof strict === "boolean" && { strict }),
  };
}

/** Log probabilities are asked for by either field; the rest of `include` is about tools that servers run. */
function readLogprobs(
  { include, top_logprobs }: Readonly<JsonObject>,
): Pick<TurnsRequest, "logprobs"> {
  if (isGiven(include) && !Array.isArray(include)) {
    throw invalidField("include", "Invalid value for 'include': expected a list");
  }
  const wantsMore = isGiven(top_logprobs) && top_logprobs !== 0;
  const isIncluded = Array.isArray(include) && include.includes("message.output_text.logprobs");
  if (!wantsMore && !isIncluded) return {};
  return { logprobs: wantsMore ? { top: top_logprobs } : {} };
}

function limitOf(limit: unknown): number | undefined {
  if (!isGiven(limit)) return undefined;
  if (typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw invalidField(
    "max_output_tokens",
    "Invalid value for 'max_output_tokens': expected a whole number, at least 1",
  );
}
