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
import type {
  OutputFormat,
  Tool,
  Toolbox,
  ToolChoice,
  TurnsRequest,
} from "../turns/turns_request.ts";
import { OPENAI_CHAT } from "./schemas.ts";
import { isPlain, OWN_FIELDS } from "./own_needs.ts";
import { readMessages } from "./read_messages.ts";
import { extraOf, type OtherBlock } from "../turns/blocks.ts";

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
  ...Object.fromEntries(OWN_FIELDS.map((field) => [field, "needed" as const])),
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
    case "response_format":
      return asObject(value)?.type === "text";
    case "logprobs":
      return value === false;
    case "top_logprobs":
      return value === 0;
    default:
      return isPlain(field, value);
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

const TOOL_FIELDS = new Set(["type", "function", "custom"]);

/** Whether a request offers its tools by the older name alone: then it knows one call at a time. */
export function hasOnlyFunctions({ tools, functions }: Readonly<JsonObject>): boolean {
  return asArray(tools).length === 0 && asArray(functions).length > 0;
}

/** Reads `tools`, `tool_choice` and `parallel_tool_calls`, and their older names. */
export function readTools(body: Readonly<JsonObject>): Toolbox {
  const { function_call: called } = body;
  const choice = readChoice(
    body.tool_choice ?? (isObject(called) ? { type: "function", function: called } : called),
  );
  const parallelCalls = hasOnlyFunctions(body) ? false : body.parallel_tool_calls;
  return {
    tools: [
      ...asArray(body.tools).map((tool, index) => readTool(tool, `tools[${index}]`)),
      ...asArray(body.functions).map((one, index) =>
        readTool({ type: "function", function: one }, `functions[${index}]`)
      ),
    ],
    ...(choice !== undefined && { choice }),
    ...(typeof parallelCalls === "boolean" && { parallelCalls }),
  };
}

function readTool(tool: unknown, at: string): Tool {
  const value = asObject(tool) ?? {};
  const kind = value.type === "custom" ? "custom" : "function";
  const called = asObject(value[kind]) ?? {};
  const name = nonEmptyString(called.name);
  if (name === undefined || (value.type !== undefined && value.type !== kind)) {
    const { type: _, ...other } = otherBlock(value, at, `the tool '${String(value.type)}'`);
    return { kind: "other", ...other, tool: String(value.type).slice(0, 64) };
  }
  const { description, parameters, strict, format } = called;
  return {
    kind,
    name,
    ...(typeof description === "string" && { description }),
    ...(isObject(parameters) && { parameters }),
    ...(typeof strict === "boolean" && { strict }),
    ...(format !== undefined && format !== null && { format: flatFormat(format) }),
    at,
    ...extraOf(OPENAI_CHAT, value, TOOL_FIELDS),
  };
}

function flatFormat(format: unknown): unknown {
  if (!isObject(format) || !isObject(format.grammar)) return format;
  const { type, grammar } = format;
  return { type, ...grammar };
}

function readChoice(choice: unknown): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
  const { type, function: called, custom, allowed_tools: allowed } = asObject(choice) ?? {};
  if (type === "function" || type === "custom") {
    const name = nonEmptyString(asObject(type === "function" ? called : custom)?.name);
    if (name !== undefined) return { mode: "named", tool: { kind: type, name } };
  }
  const { mode, tools } = asObject(allowed) ?? {};
  if (type === "allowed_tools" && (mode === "auto" || mode === "required")) {
    return { mode, allowed: asArray(tools).map(toolName) };
  }
  const other = otherBlock(
    asObject(choice) ?? {},
    "tool_choice",
    `the tool choice '${String(type)}'`,
  );
  return { mode: "other", other };
}

function toolName(tool: unknown) {
  const value = asObject(tool) ?? {};
  const kind = value.type === "custom" ? "custom" : "function";
  return { kind, name: String(asObject(value[kind])?.name) } as const;
}

function otherBlock(value: JsonObject, at: string, what: string): OtherBlock {
  return { type: "other", of: OPENAI_CHAT, value, at, what };
}
