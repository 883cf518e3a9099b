/**
 * Reads a chat request as a built-in model understands it.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { TokenTurns } from "./token_turns.ts";

/** A tool on offer. */
export interface OfferedTool {
  readonly kind: "function" | "custom";
  readonly name: string;
  /** JSON schema of a function's arguments. */
  readonly parameters: unknown;
}

/** Tokens that wrap each message, over those of its text. */
const TOKENS_PER_MESSAGE = 4;
/** Tokens of an image or a file, whatever its size. */
const TOKENS_PER_ATTACHMENT = 85;
/** So much of a message is searched for the names of tools. */
const ASKING_CHARACTERS = 100_000;
/** As at OpenAI. */
const MOST_NAME_CHARACTERS = 64;

/** The text of a message: parts joined, other parts named. */
export function textOfMessage(message: unknown): string {
  if (!isObject(message)) return "";
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => {
    if (!isObject(part)) return "";
    if (typeof part.text === "string") return part.text;
    return `[${nonEmptyString(part.type) ?? "part"}]`;
  }).join(" ");
}

/** The messages of a body. */
export function messagesOf(body: Readonly<JsonObject>): readonly unknown[] {
  return Array.isArray(body.messages) ? body.messages : [];
}

/** The last message of a role, or `undefined`. */
export function lastOfRole(messages: readonly unknown[], role: string): JsonObject | undefined {
  return messages.findLast((message): message is JsonObject =>
    isObject(message) && message.role === role
  );
}

/**
 * Prompt tokens: 4 for each message and its text and tool calls, 85 for each
 * part that is not text, and the tools on offer as JSON.
 *
 * @throws {UpstreamError} `aborted`, when the turns are.
 */
export async function countPromptTokens(
  body: Readonly<JsonObject>,
  turns: TokenTurns,
): Promise<number> {
  let count = 0;
  for (const message of messagesOf(body)) {
    count += TOKENS_PER_MESSAGE;
    if (!isObject(message)) continue;
    if (typeof message.content === "string") count += await turns.count(message.content);
    else if (Array.isArray(message.content)) {
      for (const part of message.content) {
        const text = isObject(part) ? part.text : undefined;
        count += typeof text === "string" ? await turns.count(text) : TOKENS_PER_ATTACHMENT;
      }
    }
    if (message.tool_calls !== undefined) {
      count += await turns.count(JSON.stringify(message.tool_calls));
    }
  }
  if (body.tools !== undefined) count += await turns.count(JSON.stringify(body.tools));
  return count;
}

/** The tools on offer; entries that are none are left out. */
export function toolsOf(body: Readonly<JsonObject>): readonly OfferedTool[] {
  if (!Array.isArray(body.tools)) return [];
  const tools: OfferedTool[] = [];
  for (const entry of body.tools) {
    if (!isObject(entry)) continue;
    const kind = entry.type === "custom" ? "custom" : "function";
    const offered = entry[kind];
    const name = isObject(offered) ? nonEmptyString(offered.name) : undefined;
    if (name === undefined || !isObject(offered)) continue;
    tools.push({ kind, name, parameters: offered.parameters });
  }
  return tools;
}

/**
 * The tools to call now: those that `tool_choice` demands, or those that the
 * last message asks for by name (the first one when it only speaks of "tool").
 * None once the last message is a tool's result.
 *
 * @throws {UpstreamError} `caller` when `tool_choice` names a tool that is not offered.
 */
export function toolsToCall(body: Readonly<JsonObject>): readonly OfferedTool[] {
  const tools = toolsOf(body);
  const messages = messagesOf(body);
  const last = messages.at(-1);
  const choice = body.tool_choice;
  const named = namedChoice(choice);
  if (named !== undefined && !tools.some((tool) => tool.name === named)) {
    throw new UpstreamError("caller", `The tool '${named}' is not offered`, {
      status: 400,
      code: "invalid_value",
      param: "tool_choice",
      publicMessage: `Invalid value for 'tool_choice': no tool named '${named}' is in 'tools'.`,
    });
  }
  if (choice === "required" && tools.length === 0) {
    throw new UpstreamError("caller", "No tool is offered", {
      status: 400,
      code: "invalid_value",
      param: "tool_choice",
      publicMessage: "Invalid value for 'tool_choice': 'required' needs at least one tool.",
    });
  }
  if (tools.length === 0 || choice === "none") return [];
  if (isObject(last) && last.role === "tool") return [];
  if (named !== undefined) return tools.filter((tool) => tool.name === named).slice(0, 1);
  const asked = askedFor(tools, spaced(textOfMessage(last).slice(0, ASKING_CHARACTERS)));
  const calls = choice === "required" && asked.length === 0 ? tools.slice(0, 1) : asked;
  return body.parallel_tool_calls === false ? calls.slice(0, 1) : calls;
}

function namedChoice(choice: unknown): string | undefined {
  if (!isObject(choice)) return undefined;
  for (const kind of ["function", "custom"] as const) {
    const chosen = choice[kind];
    if (isObject(chosen)) return nonEmptyString(chosen.name);
  }
  return undefined;
}

function askedFor(tools: readonly OfferedTool[], text: string): readonly OfferedTool[] {
  const byName = tools.filter(({ name }) =>
    name.length <= MOST_NAME_CHARACTERS && text.includes(spaced(name))
  );
  if (byName.length > 0) return byName;
  return /\b(?:tool|function)s?\b/.test(text) ? tools.slice(0, 1) : [];
}

/** `get_weather`, `getWeather` and "Get weather" alike. */
function spaced(text: string): string {
  return text.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").toLowerCase();
}
