/**
 * Tools and the choice among them, as the Responses API has them.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { extraOf } from "../turns/blocks.ts";
import { invalidField } from "../turns/refusals.ts";
import {
  type Tool,
  type Toolbox,
  type ToolChoice,
  toolKey,
  type ToolName,
} from "../turns/turns_request.ts";
import { OPENAI_RESPONSES } from "./schemas.ts";
import { otherBlock, shownType } from "./read_parts.ts";

const FUNCTION_FIELDS = new Set(["type", "name", "description", "parameters", "strict"]);
const CUSTOM_FIELDS = new Set(["type", "name", "description", "format"]);

/**
 * Reads `tools`, `tool_choice` and `parallel_tool_calls`.
 *
 * @throws {UpstreamError} `caller`
 */
export function readTools(body: Readonly<JsonObject>): Toolbox {
  const tools = listOf(body.tools);
  const choice = readChoice(tools, body.tool_choice);
  if (tools.length === 0 && choice?.mode === "required") {
    throw invalidField("tool_choice", "Cannot require a tool call: 'tools' offers none");
  }
  const { parallel_tool_calls } = body;
  return {
    tools,
    ...(choice !== undefined && { choice }),
    ...(typeof parallel_tool_calls === "boolean" && { parallelCalls: parallel_tool_calls }),
  };
}

function listOf(tools: unknown): readonly Tool[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) {
    throw invalidField("tools", "Invalid value for 'tools': expected a list");
  }
  return tools.map((tool, index) => readTool(tool, `tools[${index}]`));
}

function readTool(tool: unknown, at: string): Tool {
  if (!isObject(tool)) {
    throw invalidField(at, `Invalid value for '${at}': expected an object`);
  }
  const { type } = tool;
  if (type !== "function" && type !== "custom") {
    const { type: _, ...other } = otherBlock(tool, at, `the tool '${shownType(type)}'`);
    return { kind: "other", ...other };
  }
  const name = nonEmptyString(tool.name);
  if (name === undefined) {
    throw invalidField(`${at}.name`, `Missing required parameter: '${at}.name'`);
  }
  const description = nonEmptyString(tool.description);
  const named = { name, ...(description !== undefined && { description }), at };
  if (type === "custom") {
    const { format } = tool;
    return {
      kind: type,
      ...named,
      ...(format !== undefined && format !== null && { format }),
      ...extraOf(OPENAI_RESPONSES, tool, CUSTOM_FIELDS),
    };
  }
  const { parameters, strict } = tool;
  return {
    kind: type,
    ...named,
    ...(isObject(parameters) && { parameters }),
    ...(typeof strict === "boolean" && { strict }),
    ...extraOf(OPENAI_RESPONSES, tool, FUNCTION_FIELDS),
  };
}

function readChoice(tools: readonly Tool[], choice: unknown): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
  const at = "tool_choice";
  if (!isObject(choice)) {
    throw invalidField(at, "Invalid value for 'tool_choice': expected a word or an object");
  }
  const { type } = choice;
  if (type === "function" || type === "custom") {
    return { mode: "named", tool: find(namesOf(tools), choice, at) };
  }
  if (type !== "allowed_tools") {
    const what = `the tool choice '${shownType(type)}'`;
    return { mode: "other", other: otherBlock(choice, at, what) };
  }
  const { mode } = choice;
  const allowed = Array.isArray(choice.tools) ? choice.tools : [];
  if (allowed.length === 0 || (mode !== "auto" && mode !== "required")) {
    throw invalidField(
      at,
      "Invalid value for 'tool_choice': 'allowed_tools' needs 'tools' and a 'mode' of 'auto' or 'required'",
    );
  }
  const names = namesOf(tools);
  return { mode, allowed: allowed.map((one, index) => find(names, one, `${at}.tools[${index}]`)) };
}

type ToolNames = ReadonlyMap<string, ToolName>;

function namesOf(tools: readonly Tool[]): ToolNames {
  return new Map(tools.flatMap((tool) => {
    if (tool.kind === "other") return [];
    const { kind, name } = tool;
    return [[toolKey(tool), { kind, name }]];
  }));
}

function find(names: ToolNames, wanted: unknown, param: string): ToolName {
  const { type, name } = isObject(wanted) ? wanted : {};
  const isName = (type === "function" || type === "custom") && typeof name === "string";
  const found = isName ? names.get(toolKey({ kind: type, name })) : undefined;
  if (found !== undefined) return found;
  const shown = typeof name === "string" ? name.slice(0, 64) : String(type).slice(0, 64);
  throw invalidField(param, `Invalid value for '${param}': 'tools' offers no '${shown}'`);
}
