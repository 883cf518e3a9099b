/**
 * Tools and the choice among them, as chat has them.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import type { OtherBlock } from "../turns/blocks.ts";
import { extraOf } from "../turns/extra.ts";
import type { Tool, Toolbox, ToolChoice } from "../turns/turns_request.ts";
import { OPENAI_CHAT } from "./name.ts";

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
    return { kind: "other", ...other };
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
