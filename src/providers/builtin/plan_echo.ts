/**
 * Decides what `echo-1` answers: the tokens of each choice, before any is sent.
 *
 * @module
 */

import { splitTokens } from "../../domain/tokenizer.ts";
import type { CompletionIds } from "../completion_ids.ts";
import { isObject } from "../json_value.ts";
import { type JsonObject, UpstreamError } from "../provider.ts";
import {
  lastOfRole,
  messagesOf,
  type OfferedTool,
  textOfMessage,
  toolsToCall,
} from "./conversation.ts";
import { sampleSchema, UnsatisfiableSchema } from "./sample_schema.ts";

/** A tool call to be made. */
export interface PlannedCall {
  readonly kind: OfferedTool["kind"];
  readonly id: string;
  readonly name: string;
  /** The arguments, or a custom tool's input, token by token. */
  readonly tokens: readonly string[];
}

/** One choice of an answer. */
export interface PlannedChoice {
  /** The content, token by token; empty when there are calls. */
  readonly tokens: readonly string[];
  readonly calls: readonly PlannedCall[];
  /** Tokens of the content, or of the calls' names and arguments. */
  readonly tokenCount: number;
  readonly finishReason: "stop" | "length" | "tool_calls";
}

/** What the echo begins with; `seed` and the number of the choice pick one. */
const FRAMES = ["You said: ", "I heard: ", "Your words were: ", "Echo: "];
const MAX_CHOICES = 128;

/**
 * Plans the choices for a body.
 *
 * @throws {UpstreamError} `caller` when a field of the body cannot be met.
 */
export function planEcho(body: JsonObject, ids: CompletionIds): readonly PlannedChoice[] {
  const count = wholeNumber(body, "n", { least: 1, most: MAX_CHOICES }) ?? 1;
  const limit = wholeNumber(body, "max_completion_tokens", { least: 1 }) ??
    wholeNumber(body, "max_tokens", { least: 1 }) ?? Infinity;
  const tools = toolsToCall(body);
  return Array.from(
    { length: count },
    (_, index) =>
      tools.length > 0 ? planCalls(tools, body, { ids, limit }) : planText(
        textFor(body, index),
        body,
        limit,
      ),
  );
}

function planText(text: string, body: JsonObject, limit: number): PlannedChoice {
  const tokens = splitTokens(beforeStop(text, body.stop));
  const isCut = tokens.length > limit;
  return {
    tokens: isCut ? tokens.slice(0, limit) : tokens,
    calls: [],
    tokenCount: Math.min(tokens.length, limit),
    finishReason: isCut ? "length" : "stop",
  };
}

function planCalls(
  tools: readonly OfferedTool[],
  body: JsonObject,
  options: { readonly ids: CompletionIds; readonly limit: number },
): PlannedChoice {
  const calls: PlannedCall[] = [];
  let left = options.limit;
  for (const tool of tools) {
    if (left <= 0) break;
    left -= splitTokens(tool.name).length;
    const tokens = splitTokens(inputFor(tool, body));
    calls.push({
      kind: tool.kind,
      id: options.ids.toolCall(),
      name: tool.name,
      tokens: tokens.length > left ? tokens.slice(0, Math.max(0, left)) : tokens,
    });
    left -= tokens.length;
  }
  const isCut = left < 0 || calls.length < tools.length;
  const used = calls.reduce(
    (sum, call) => sum + splitTokens(call.name).length + call.tokens.length,
    0,
  );
  return {
    tokens: [],
    calls,
    tokenCount: Math.min(used, options.limit),
    finishReason: isCut ? "length" : "tool_calls",
  };
}

function inputFor(tool: OfferedTool, body: JsonObject): string {
  if (tool.kind === "custom") return lastUserText(body);
  const schema = isObject(tool.parameters) ? tool.parameters : { type: "object" };
  return JSON.stringify(sampleFor(schema, "tools"));
}

function textFor(body: JsonObject, index: number): string {
  const format = body.response_format;
  if (isObject(format) && format.type === "json_schema") {
    const schema = isObject(format.json_schema) ? format.json_schema.schema : undefined;
    return JSON.stringify(sampleFor(schema ?? { type: "object" }, "response_format"));
  }
  if (isObject(format) && format.type === "json_object") {
    return JSON.stringify({ echo: lastUserText(body) });
  }
  const last = messagesOf(body).at(-1);
  if (isObject(last) && last.role === "tool") return `The tool answered: ${textOfMessage(last)}`;
  const seed = Number.isSafeInteger(body.seed) ? Math.abs(body.seed as number) : 0;
  return FRAMES[(seed + index) % FRAMES.length]! + lastUserText(body);
}

function lastUserText(body: JsonObject): string {
  const text = textOfMessage(lastOfRole(messagesOf(body), "user"));
  return text === "" ? "nothing" : text;
}

function sampleFor(schema: unknown, param: string): unknown {
  try {
    return sampleSchema(schema);
  } catch (error) {
    if (!(error instanceof UnsatisfiableSchema)) throw error;
    throw new UpstreamError("caller", error.message, {
      status: 400,
      code: "invalid_value",
      param,
      publicMessage: `Invalid schema in '${param}': ${error.message}.`,
      cause: error,
    });
  }
}

function beforeStop(text: string, stop: unknown): string {
  const stops = (Array.isArray(stop) ? stop : [stop]).filter((one) =>
    typeof one === "string" && one !== ""
  );
  let end = text.length;
  for (const one of stops) {
    const at = text.indexOf(one as string);
    if (at >= 0) end = Math.min(end, at);
  }
  return text.slice(0, end);
}

function wholeNumber(
  body: JsonObject,
  field: string,
  range: { readonly least: number; readonly most?: number },
): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  const most = range.most ?? Number.MAX_SAFE_INTEGER;
  if (
    Number.isSafeInteger(value) && (value as number) >= range.least && (value as number) <= most
  ) {
    return value as number;
  }
  const bounds = range.most === undefined ? `at least ${range.least}` : `${range.least} to ${most}`;
  throw new UpstreamError("caller", `Invalid value for '${field}'`, {
    status: 400,
    code: "invalid_value",
    param: field,
    publicMessage: `Invalid value for '${field}': expected a whole number, ${bounds}.`,
  });
}
