/**
 * Tools and the choice among them, as the Responses API has them.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { extraOf } from "../turns/blocks.ts";
import { invalidField } from "../turns/refusals.ts";
import {
  type OwnTool,
  type Tool,
  type Toolbox,
  type ToolChoice,
  toolKey,
  type ToolName,
} from "../turns/turns_request.ts";
import { OPENAI_RESPONSES } from "./schemas.ts";
import { isCallersTool, toolLists } from "./listed_tools.ts";
import { otherBlock, shownType } from "./read_parts.ts";

const FUNCTION_FIELDS = new Set(["type", "name", "description", "parameters", "strict"]);
const CUSTOM_FIELDS = new Set(["type", "name", "description", "format"]);

/** How a search for tools that its caller makes is called: such a tool has no name of its own. */
export const SEARCH_NAME = "tool_search";

/**
 * Reads `tools`, `tool_choice` and `parallel_tool_calls`, and the tools that items of the input bring.
 *
 * @throws {UpstreamError} `caller`
 */
export function readTools(body: Readonly<JsonObject>): Toolbox {
  const tools = onceEach(toolLists(body).flatMap(({ value, at }) => listOf(value, at)));
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

/** Of a tool that is offered again the newest form, in its first place. */
function onceEach(tools: readonly Tool[]): readonly Tool[] {
  const all = new Map<unknown, Tool>();
  for (const tool of tools) all.set(tool.kind === "other" ? tool : toolKey(tool), tool);
  return [...all.values()];
}

function listOf(tools: unknown, at: string): readonly Tool[] {
  if (!Array.isArray(tools)) {
    throw invalidField(at, `Invalid value for '${at}': expected a list`);
  }
  return tools.flatMap((tool, index) => readTool(tool, `${at}[${index}]`));
}

function readTool(tool: unknown, at: string): readonly Tool[] {
  if (!isObject(tool)) {
    throw invalidField(at, `Invalid value for '${at}': expected an object`);
  }
  if (isCallersTool(tool)) return [readOwn(tool, at)];
  if (tool.type !== "namespace") return [otherTool(tool, at)];
  const namespace = nameOf(tool, at);
  const group = nonEmptyString(tool.description);
  const { tools } = tool;
  if (!Array.isArray(tools) || !tools.every(isObject)) {
    throw invalidField(`${at}.tools`, `Invalid value for '${at}.tools': expected a list of tools`);
  }
  return tools.map((member, index) => {
    const place = `${at}.tools[${index}]`;
    if (member.type !== "function" && member.type !== "custom") return otherTool(member, place);
    return { ...readOwn(member, place), namespace, ...(group !== undefined && { group }) };
  });
}

/** One that a server runs. */
function otherTool(tool: JsonObject, at: string): Tool {
  const { type: _, ...other } = otherBlock(tool, at, `the tool '${shownType(tool.type)}'`);
  return { kind: "other", ...other, tool: shownType(tool.type) };
}

function readOwn(tool: JsonObject, at: string): OwnTool {
  const kind = tool.type === "tool_search"
    ? "search"
    : tool.type === "custom"
    ? tool.type
    : "function";
  const description = nonEmptyString(tool.description);
  const named = {
    name: kind === "search" ? SEARCH_NAME : nameOf(tool, at),
    ...(description !== undefined && { description }),
    at,
  };
  if (kind === "custom") {
    const { format } = tool;
    return {
      kind,
      ...named,
      ...(format !== undefined && format !== null && { format }),
      ...extraOf(OPENAI_RESPONSES, tool, CUSTOM_FIELDS),
    };
  }
  const { parameters, strict } = tool;
  return {
    kind,
    ...named,
    ...(isObject(parameters) && { parameters }),
    ...(typeof strict === "boolean" && { strict }),
    ...extraOf(OPENAI_RESPONSES, tool, FUNCTION_FIELDS),
  };
}

function nameOf(tool: JsonObject, at: string): string {
  const name = nonEmptyString(tool.name);
  if (name !== undefined) return name;
  throw invalidField(`${at}.name`, `Missing required parameter: '${at}.name'`);
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
    return { mode: "named", tool: new Offer(tools).find(choice, at) };
  }
  if (type !== "allowed_tools") {
    const what = `the tool choice '${shownType(type)}'`;
    return { mode: "other", other: { ...otherBlock(choice, at, what), tool: shownType(type) } };
  }
  const { mode } = choice;
  const allowed = Array.isArray(choice.tools) ? choice.tools : [];
  if (allowed.length === 0 || (mode !== "auto" && mode !== "required")) {
    throw invalidField(
      at,
      "Invalid value for 'tool_choice': 'allowed_tools' needs 'tools' and a 'mode' of 'auto' or 'required'",
    );
  }
  const offer = new Offer(tools);
  return {
    mode,
    allowed: allowed.flatMap((one, index) =>
      offer.isOthers(one) ? [] : [offer.find(one, `${at}.tools[${index}]`)]
    ),
  };
}

/** The tools to choose from. */
class Offer {
  readonly #tools = new Map<string, ToolName>();
  readonly #others = new Set<unknown>();

  constructor(tools: readonly Tool[]) {
    for (const tool of tools) {
      if (tool.kind === "other") {
        this.#others.add(tool.tool);
        continue;
      }
      const { kind, name, namespace } = tool;
      const found = { kind, name, ...(namespace !== undefined && { namespace }) };
      this.#tools.set(toolKey(found), found);
      // One that is chosen without its group may be of any.
      const bare = toolKey({ kind, name });
      if (!this.#tools.has(bare)) this.#tools.set(bare, found);
    }
  }

  /** Whether it is a tool that a server runs: that is refused, or left out, by itself. */
  isOthers(wanted: unknown): boolean {
    return isObject(wanted) && this.#others.has(wanted.type);
  }

  /** @throws {UpstreamError} `caller` */
  find(wanted: unknown, param: string): ToolName {
    const { type, name, namespace } = isObject(wanted) ? wanted : {};
    const isName = (type === "function" || type === "custom") && typeof name === "string";
    const group = nonEmptyString(namespace);
    const found = isName
      ? this.#tools.get(toolKey({ kind: type, name, ...(group && { namespace: group }) }))
      : undefined;
    if (found !== undefined) return found;
    const shown = typeof name === "string" ? name.slice(0, 64) : String(type).slice(0, 64);
    throw invalidField(param, `Invalid value for '${param}': 'tools' offers no '${shown}'`);
  }
}
