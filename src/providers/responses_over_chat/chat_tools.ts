/**
 * Tools and the choice among them, as chat has them.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { invalidField, notInChat } from "./caller_error.ts";

/** The fields of a chat body that are about tools; empty when none are offered. */
export interface ChatTools {
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: unknown;
}

interface NamedTool {
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly tool: JsonObject;
}

/**
 * Converts `tools`, `tool_choice` and `parallel_tool_calls`. Tools that a server
 * would run (web search, files, computers, MCP …) are refused by name.
 * `allowed_tools`, which few servers know, becomes a shorter list of tools.
 *
 * @throws {UpstreamError} `caller`
 */
export function toChatTools(body: Readonly<JsonObject>): ChatTools {
  const offered = readTools(body.tools);
  const { tools, choice } = choose(offered, body.tool_choice);
  if (tools.length === 0) {
    // Chat refuses a choice among nothing; that nothing is called goes without saying.
    if (choice === "required") {
      throw invalidField("tool_choice", "Cannot require a tool call: 'tools' offers none");
    }
    return {};
  }
  const { parallel_tool_calls } = body;
  return {
    tools: tools.map(({ tool }) => tool),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(typeof parallel_tool_calls === "boolean" && { parallel_tool_calls }),
  };
}

function readTools(tools: unknown): readonly NamedTool[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) {
    throw invalidField("tools", "Invalid value for 'tools': expected a list");
  }
  return tools.map((tool, at) => readTool(tool, `tools[${at}]`));
}

function readTool(tool: unknown, param: string): NamedTool {
  if (!isObject(tool)) {
    throw invalidField(param, `Invalid value for '${param}': expected an object`);
  }
  const { type } = tool;
  if (type !== "function" && type !== "custom") {
    const shown = typeof type === "string" ? type.slice(0, 64) : typeof type;
    throw notInChat(`${param}.type`, `the tool '${shown}'`);
  }
  const name = nonEmptyString(tool.name);
  if (name === undefined) {
    throw invalidField(`${param}.name`, `Missing required parameter: '${param}.name'`);
  }
  const description = nonEmptyString(tool.description);
  const named = { name, ...(description !== undefined && { description }) };
  if (type === "custom") {
    const format = chatFormat(tool.format);
    const custom = { ...named, ...(format !== undefined && { format }) };
    return { kind: type, name, tool: { type, custom } };
  }
  const { parameters, strict } = tool;
  const called = {
    ...named,
    ...(isObject(parameters) && { parameters }),
    ...(typeof strict === "boolean" && { strict }),
  };
  return { kind: type, name, tool: { type, function: called } };
}

function chatFormat(format: unknown): unknown {
  if (!isObject(format) || format.type !== "grammar") return format ?? undefined;
  const { type, ...grammar } = format;
  return { type, grammar };
}

function choose(
  tools: readonly NamedTool[],
  choice: unknown,
): { readonly tools: readonly NamedTool[]; readonly choice: unknown } {
  if (choice === undefined || choice === null) return { tools, choice: undefined };
  if (choice === "auto" || choice === "none" || choice === "required") return { tools, choice };
  const param = "tool_choice";
  if (!isObject(choice)) {
    throw invalidField(param, "Invalid value for 'tool_choice': expected a word or an object");
  }
  const { type } = choice;
  if (type === "function" || type === "custom") {
    const { kind, name } = find(tools, choice, param);
    return { tools, choice: { type: kind, [kind]: { name } } };
  }
  if (type !== "allowed_tools") {
    const shown = typeof type === "string" ? type.slice(0, 64) : typeof type;
    throw notInChat(`${param}.type`, `the tool choice '${shown}'`);
  }
  const { mode } = choice;
  const allowed = Array.isArray(choice.tools) ? choice.tools : [];
  if (allowed.length === 0 || (mode !== "auto" && mode !== "required")) {
    throw invalidField(
      param,
      "Invalid value for 'tool_choice': 'allowed_tools' needs 'tools' and a 'mode' of 'auto' or 'required'",
    );
  }
  const kept = new Set(allowed.map((one, at) => find(tools, one, `${param}.tools[${at}]`)));
  return { tools: tools.filter((tool) => kept.has(tool)), choice: mode };
}

function find(tools: readonly NamedTool[], wanted: unknown, param: string): NamedTool {
  const { type, name } = isObject(wanted) ? wanted : {};
  const found = tools.find((tool) => tool.kind === type && tool.name === name);
  if (found !== undefined) return found;
  const shown = typeof name === "string" ? name.slice(0, 64) : String(type).slice(0, 64);
  throw invalidField(param, `Invalid value for '${param}': 'tools' offers no '${shown}'`);
}
