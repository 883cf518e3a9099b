/**
 * Where a request of the Responses API has tools, and which of them only an upstream can run.
 *
 * @module
 */

import { asArray, asObject, type JsonObject } from "../../domain/json_value.ts";

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
