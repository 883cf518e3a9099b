/**
 * Tools that a conversation adds and takes away as it goes on: found by a search, or said by its
 * caller between two turns. Other dialects offer one list of tools for all of a request.
 *
 * @module
 */

import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";

/** A tool, and where the request has it. */
interface PlacedTool {
  readonly tool: unknown;
  readonly at: string;
}

/** What a conversation has changed, by the names of the tools. */
interface ToolChanges {
  readonly added: Set<string>;
  readonly removed: Set<string>;
  /** Defined where they are added. */
  readonly defined: Map<string, PlacedTool>;
}

/**
 * The tools that the model may call now. Those of `defer_loading` are there once the conversation
 * names them, as the model could not know of them before.
 */
export function toolsNow({ tools, messages }: Readonly<JsonObject>): readonly PlacedTool[] {
  const listed = asArray(tools).map((tool, index) => ({ tool, at: `tools[${index}]` }));
  const { added, removed, defined } = changesOf(messages);
  if (added.size === 0 && removed.size === 0 && !asArray(tools).some(isDeferred)) return listed;
  return [...listed, ...defined.values()].filter(({ tool }) => {
    const name = String(asObject(tool)?.name);
    return !removed.has(name) && (!isDeferred(tool) || added.has(name));
  });
}

/** In words, for a model whose API has no such block; `undefined` of any other block. */
export function changeInWords(block: JsonObject): string | undefined {
  const name = nameOf(block);
  if (name === undefined) return undefined;
  return block.type === "tool_removal"
    ? `The tool '${name}' can no longer be called.`
    : `The tool '${name}' can be called from here on.`;
}

function changesOf(messages: unknown): ToolChanges {
  const changes = { added: new Set<string>(), removed: new Set<string>(), defined: new Map() };
  for (const [index, message] of asArray(messages).entries()) {
    const at = `messages[${index}].content`;
    for (const block of asArray(asObject(message)?.content)) {
      if (!isObject(block)) continue;
      if (block.type === "tool_result") {
        for (const part of asArray(block.content)) noteChange(asObject(part) ?? {}, at, changes);
      } else noteChange(block, at, changes);
    }
  }
  return changes;
}

function noteChange(
  block: JsonObject,
  at: string,
  { added, removed, defined }: ToolChanges,
): void {
  const name = nameOf(block);
  if (name === undefined) return;
  const isRemoval = block.type === "tool_removal";
  (isRemoval ? removed : added).add(name);
  (isRemoval ? added : removed).delete(name);
  const tool = asObject(asObject(block.tool)?.definition);
  if (tool !== undefined) defined.set(name, { tool, at });
}

/** Of what a block adds or takes away; nobody else knows those of a server. */
function nameOf({ type, tool, tool_name: found }: JsonObject): string | undefined {
  if (type === "tool_reference") return typeof found === "string" ? found : undefined;
  if (type !== "tool_addition" && type !== "tool_removal") return undefined;
  const { type: kind, name, definition } = asObject(tool) ?? {};
  const named = kind === "tool_definition" ? asObject(definition)?.name : name;
  const isPlain = kind === "tool_reference" || kind === "tool_definition";
  return isPlain && typeof named === "string" ? named : undefined;
}

function isDeferred(tool: unknown): boolean {
  return asObject(tool)?.defer_loading === true;
}
