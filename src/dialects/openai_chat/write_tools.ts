/**
 * Tools and the choice among them, as chat has them.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { ownExtra } from "../turns/extra.ts";
import { NotCarried } from "../turns/refusals.ts";
import {
  type OwnTool,
  type Tool,
  type Toolbox,
  type ToolChoice,
  toolKey,
  type ToolName,
} from "../turns/turns_request.ts";
import { OPENAI_CHAT } from "./name.ts";

/** The fields of a chat body that are about tools; empty when none are offered. */
export interface ChatTools {
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: boolean;
}

/**
 * Writes them. A choice among some, which few servers know, becomes a shorter list of tools.
 *
 * @throws {NotCarried} For tools that a server would run (web search, files, computers, MCP …), by name.
 */
export function writeTools({ tools, choice, parallelCalls }: Toolbox): ChatTools {
  const own = tools.map(ownTool);
  if (choice?.mode === "other") {
    throw new NotCarried(`${choice.other.at}.type`, choice.other.what);
  }
  // Chat refuses a choice among nothing; that nothing is called goes without saying.
  if (own.length === 0) return {};
  const allowed = choice?.mode === "named" ? undefined : keysOf(choice?.allowed);
  const offered = allowed === undefined ? own : own.filter((tool) => allowed.has(toolKey(tool)));
  return {
    tools: offered.map(chatTool),
    ...(choice !== undefined && { tool_choice: chatChoice(choice) }),
    ...(parallelCalls !== undefined && { parallel_tool_calls: parallelCalls }),
  };
}

function ownTool(tool: Tool): OwnTool {
  if (tool.kind === "other") throw new NotCarried(`${tool.at}.type`, tool.what);
  return tool;
}

function keysOf(names: readonly ToolName[] | undefined): ReadonlySet<string> | undefined {
  return names && new Set(names.map(toolKey));
}

function chatTool(
  { kind, name, description, parameters, strict, format, extra }: OwnTool,
): JsonObject {
  const named = { name, ...(description !== undefined && { description }) };
  const called = kind === "function"
    ? {
      ...named,
      ...(parameters !== undefined && { parameters }),
      ...(strict !== undefined && { strict }),
    }
    : { ...named, ...(format !== undefined && { format: chatFormat(format) }) };
  return { type: kind, [kind]: called, ...ownExtra(OPENAI_CHAT, extra) };
}

function chatFormat(format: unknown): unknown {
  if (!isObject(format) || format.type !== "grammar") return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

function chatChoice(choice: ToolChoice): unknown {
  if (choice.mode !== "named") return choice.mode;
  const { kind, name } = choice.tool;
  return { type: kind, [kind]: { name } };
}
