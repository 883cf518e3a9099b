/**
 * Where a request of the Responses API has tools, and which of them only an upstream can run.
 *
 * @module
 */

import {
  asArray,
  asCount,
  asObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";

/** Something that stands in a request. */
export interface Listed {
  readonly value: unknown;
  readonly at: string;
}

/** An item that offers tools from its place on; a found one is what a search of the caller's gave. */
const OFFERING: ReadonlySet<unknown> = new Set(["additional_tools", "tool_search_output"]);

/** The lists of tools: that of the request, then those that items of the conversation bring. */
export function toolLists({ tools, input }: Readonly<JsonObject>): readonly Listed[] {
  const lists: Listed[] = [];
  if (tools !== undefined && tools !== null) lists.push({ value: tools, at: "tools" });
  if (!Array.isArray(input)) return lists;
  input.forEach((item, index) => {
    const { type, tools } = asObject(item) ?? {};
    if (OFFERING.has(type)) lists.push({ value: tools, at: `input[${index}].tools` });
  });
  return lists;
}

/** Whether a tool is one that a model calls and its caller runs, as chat has them, too. */
export function isCallersTool({ type, execution }: JsonObject): boolean {
  return type === "function" || type === "custom" ||
    (type === "tool_search" && execution === "client");
}

/** The types of the tools that only an upstream can run, each once. */
export function serverTools(body: Readonly<JsonObject>): readonly string[] {
  const types = new Set<string>();
  for (const { value } of toolLists(body)) {
    for (const tool of asArray(value)) addServerTools(asObject(tool) ?? {}, types);
  }
  return [...types];
}

function addServerTools(tool: JsonObject, types: Set<string>): void {
  if (isCallersTool(tool)) return;
  if (tool.type !== "namespace") {
    types.add(String(tool.type).slice(0, 64));
    return;
  }
  for (const member of asArray(tool.tools)) {
    const { type } = asObject(member) ?? {};
    if (type !== "function" && type !== "custom") types.add(String(type).slice(0, 64));
  }
}

/** Searches of a request that names no bound for its tools. */
const USUAL_SEARCHES = 10;
/** More than any answer makes. */
const MOST_SEARCHES = 1_000;

/** How many searches of the web a request allows at most. */
export function mostSearches(body: Readonly<JsonObject>): number {
  if (!serverTools(body).some((type) => type.startsWith("web_search"))) return 0;
  return Math.min(asCount(body.max_tool_calls) ?? USUAL_SEARCHES, MOST_SEARCHES);
}

/**
 * How many searches of the web are billed of an answer's items: OpenAI's price is for a call that
 * searches, not for one that opens a page or looks for words in it.
 */
export function searchesIn(output: readonly unknown[]): number {
  let searches = 0;
  for (const item of output) {
    const { type, status, action } = asObject(item) ?? {};
    if (type !== "web_search_call" || status === "failed") continue;
    const kind = asObject(action)?.type;
    if (kind === undefined || kind === null || kind === "search") searches++;
  }
  return Math.min(searches, MOST_SEARCHES);
}

/** Items that can be said in any dialect, or that only tell how to go on. */
const COMMON: ReadonlySet<unknown> = new Set([
  undefined,
  null,
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "additional_tools",
  "item_reference",
  "configuration_update",
  "compaction_trigger",
]);

/** The types of tools of which a conversation has items that only an upstream of its dialect can read. */
export function toolsOfItems({ input }: Readonly<JsonObject>): readonly string[] {
  const types = new Set<string>();
  for (const one of asArray(input)) {
    const item = asObject(one) ?? {};
    if (COMMON.has(item.type) || isCallersSearch(item)) continue;
    types.add(toolOfItem(item.type) ?? String(item.type).slice(0, 64));
  }
  return [...types];
}

/** Whether an item is of a search for tools that its caller made: those of a server have no id of a call. */
export function isCallersSearch({ type, execution, call_id }: JsonObject): boolean {
  return (type === "tool_search_call" || type === "tool_search_output") &&
    execution !== "server" && nonEmptyString(call_id) !== undefined;
}

/** The type of the tool that an item tells of; `undefined` where it tells of none. */
export function toolOfItem(type: unknown): string | undefined {
  if (typeof type !== "string") return undefined;
  if (type.startsWith("mcp_")) return "mcp";
  const [, tool] = /^(.+?)(?:_call)?(?:_output)?$/.exec(type.slice(0, 64)) ?? [];
  return tool === type ? undefined : tool;
}
