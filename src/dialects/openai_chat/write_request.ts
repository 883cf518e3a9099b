/**
 * A request in the neutral form as a chat request.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { OPENAI } from "../openai/family.ts";
import { settingFields } from "../openai/settings.ts";
import { ownExtra } from "../turns/blocks.ts";
import { fieldsOf, NotCarried } from "../turns/refusals.ts";
import type { WriteOptions } from "../base/turns_format.ts";
import {
  type OutputFormat,
  type OwnTool,
  type Settings,
  type Tool,
  type Toolbox,
  type ToolChoice,
  toolKey,
  type ToolName,
  type TurnsRequest,
} from "../turns/turns_request.ts";
import { OPENAI_CHAT } from "./schemas.ts";
import { writeMessages } from "./write_messages.ts";

/**
 * Writes a request.
 *
 * @throws {NotCarried} For what chat cannot do, by name.
 */
export function writeRequest(request: TurnsRequest, options: WriteOptions): JsonObject {
  const { format, verbosity, effort, logprobs, maxOutputTokens } = request;
  return {
    ...fieldsOf(request.others, [OPENAI_CHAT, OPENAI.name]),
    ...ownExtra(OPENAI.name, request.shared),
    ...ownExtra(OPENAI_CHAT, request.extra),
    ...settingFields(chatSettings(request, options)),
    model: request.model,
    messages: writeMessages(request, options),
    ...writeTools(request),
    ...(format !== undefined && { response_format: responseFormat(format) }),
    ...(verbosity !== undefined && { verbosity }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(logprobs !== undefined && {
      logprobs: true,
      ...(logprobs.top !== undefined && { top_logprobs: logprobs.top }),
    }),
    // Whoever sends it gives it the name that the upstream knows.
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
  };
}

/**
 * Some servers of chat alone have `top_k`, and others refuse it: who asks for it in OpenAI's dialects
 * means the former, to Anthropic's clients it is one of their own.
 */
function chatSettings({ settings, shared }: TurnsRequest, { isNamed }: WriteOptions): Settings {
  if (settings.topK === undefined || shared.of === OPENAI.name || isNamed?.("top_k") === true) {
    return settings;
  }
  const { topK: _, ...rest } = settings;
  return rest;
}

function responseFormat(format: OutputFormat): JsonObject {
  if (format.type === "json") return { type: "json_object" };
  const { type: _, ...schema } = format;
  return { type: "json_schema", json_schema: schema };
}

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
