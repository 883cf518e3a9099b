/**
 * Tools of a request in the neutral form.
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
import { extraOf } from "../turns/blocks.ts";
import type { Tool, Toolbox, ToolChoice } from "../turns/turns_request.ts";
import { ANTHROPIC_MESSAGES } from "./schemas.ts";
import { toolsNow } from "./tool_changes.ts";
import { shortName } from "./tool_names.ts";

const TOOL_FIELDS = new Set(["type", "name", "description", "input_schema", "strict"]);

/** Reads `tools`, as the conversation has changed them, and `tool_choice`. */
export function readTools(body: Readonly<JsonObject>): Toolbox {
  const { tool_choice } = body;
  const own = toolsNow(body).map(({ tool, at }) => readTool(tool, at));
  if (own.length === 0) return { tools: own };
  const choice = readChoice(tool_choice);
  return {
    tools: own,
    ...(choice !== undefined && { choice }),
    ...(asObject(tool_choice)?.disable_parallel_tool_use === true && { parallelCalls: false }),
  };
}

function readTool(tool: unknown, at: string): Tool {
  const value = asObject(tool) ?? {};
  const { type, name, description, input_schema: schema, strict } = value;
  const isOwn = type === undefined || type === null || type === "custom";
  if (!isOwn || typeof name !== "string" || name === "") {
    const shown = nonEmptyString(type) ?? "custom";
    const what = `the tool '${shown.slice(0, 64)}'`;
    return { kind: "other", of: ANTHROPIC_MESSAGES, value, at, what, tool: shown.slice(0, 64) };
  }
  return {
    kind: "function",
    name: shortName(name),
    ...(typeof description === "string" && { description }),
    ...(isObject(schema) && { parameters: withoutDraft(schema) }),
    // Others refuse a strict tool whose schema leaves anything open.
    ...(strict === true && isClosed(schema) && { strict }),
    at,
    ...extraOf(ANTHROPIC_MESSAGES, value, TOOL_FIELDS),
  };
}

function withoutDraft({ $schema: _, ...schema }: JsonObject): JsonObject {
  return schema;
}

/** Whether every object in a schema has the properties that it names, all of them, and no others. */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  if (!isObject(schema)) return true;
  if (schema.type === "object") {
    const required = new Set(asArray(schema.required));
    const names = Object.keys(asObject(schema.properties) ?? {});
    if (schema.additionalProperties !== false || !names.every((name) => required.has(name))) {
      return false;
    }
  }
  return Object.values(schema).every(isClosed);
}

function readChoice(choice: unknown): ToolChoice | undefined {
  const { type, name } = asObject(choice) ?? {};
  switch (type) {
    case "auto":
    case "none":
      return { mode: type };
    case "any":
      return { mode: "required" };
    case "tool":
      return {
        mode: "named",
        tool: { kind: "function", name: shortName(String(name)) },
      };
    default:
      return undefined;
  }
}
