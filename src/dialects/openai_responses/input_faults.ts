/**
 * Input items of the Responses API: their types, and what the gateway looks at in
 * them before anyone is asked.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { MOST_TOOLS } from "../openai/settings.ts";

/** What is wrong with an input, and where. */
export interface ItemFault {
  readonly path: (string | number)[];
  readonly message: string;
}

/** OpenAI's own limit is not told; an agent's longest conversations have a few hundred. */
export const MOST_ITEMS = 5_000;

const ITEM_TYPES: ReadonlySet<string> = new Set(
  ("message function_call function_call_output custom_tool_call custom_tool_call_output reasoning " +
    "item_reference file_search_call web_search_call computer_call computer_call_output " +
    "image_generation_call code_interpreter_call local_shell_call local_shell_call_output shell_call " +
    "shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools mcp_call " +
    "mcp_approval_request mcp_approval_response compaction tool_search_call tool_search_output " +
    "additional_tools compaction_trigger program program_output configuration_update").split(" "),
);
const PART_TYPES: ReadonlySet<string> = new Set(
  ("input_text input_image input_file input_audio output_text refusal text summary_text " +
    "reasoning_text computer_screenshot").split(" "),
);
const ROLES: ReadonlySet<string> = new Set(["user", "assistant", "system", "developer"]);
const DATA_URL = /^data:[^,;]{0,127}(?:;[^,;]{0,127})*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The first fault of an `input`; `undefined` when there is none. */
export function faultOfInput(input: unknown): ItemFault | undefined {
  if (typeof input === "string") {
    return input === "" ? { path: [], message: "Expected a text that is not empty" } : undefined;
  }
  if (!Array.isArray(input)) return { path: [], message: "Expected a text or a list of items" };
  if (input.length === 0) return { path: [], message: "Expected at least one item" };
  if (input.length > MOST_ITEMS) {
    return { path: [], message: `Expected at most ${MOST_ITEMS} items: it has ${input.length}` };
  }
  for (const [index, item] of input.entries()) {
    const fault = faultOfItem(item, [index]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfItem(item: unknown, path: (string | number)[]): ItemFault | undefined {
  if (!isObject(item)) return { path, message: "Expected an item, which is an object" };
  const { type } = item;
  if (type !== undefined && (typeof type !== "string" || !ITEM_TYPES.has(type))) {
    return { path: [...path, "type"], message: `There is no item of the type ${shown(type)}` };
  }
  switch (type ?? "message") {
    case "message":
      return faultOfMessage(item, path);
    case "function_call":
      return faultOfTexts(item, ["call_id", "name", "arguments"], path);
    case "custom_tool_call":
      return faultOfTexts(item, ["call_id", "name", "input"], path);
    case "function_call_output":
    case "custom_tool_call_output":
      return faultOfTexts(item, ["call_id"], path) ??
        faultOfContent(item.output, [...path, "output"]);
    case "additional_tools":
    case "tool_search_output":
      return Array.isArray(item.tools) && item.tools.length <= MOST_TOOLS
        ? undefined
        : { path: [...path, "tools"], message: `Expected a list of at most ${MOST_TOOLS} tools` };
    case "item_reference":
      return faultOfTexts(item, ["id"], path);
    default:
      return undefined;
  }
}

function faultOfMessage(
  item: JsonObject,
  path: (string | number)[],
): ItemFault | undefined {
  const { role } = item;
  if (typeof role !== "string" || !ROLES.has(role)) {
    return { path: [...path, "role"], message: `Expected one of ${[...ROLES].join(", ")}` };
  }
  return faultOfContent(item.content, [...path, "content"]);
}

function faultOfContent(content: unknown, path: (string | number)[]): ItemFault | undefined {
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return { path, message: "Expected a text or a list of parts" };
  for (const [index, part] of content.entries()) {
    const at = [...path, index];
    if (!isObject(part)) return { path: at, message: "Expected a part, which is an object" };
    const { type } = part;
    if (typeof type !== "string" || !PART_TYPES.has(type)) {
      return { path: [...at, "type"], message: `There is no part of the type ${shown(type)}` };
    }
    const fault = faultOfPart(type, part, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfPart(
  type: string,
  part: JsonObject,
  path: (string | number)[],
): ItemFault | undefined {
  if (type === "input_text" || type === "output_text") return faultOfTexts(part, ["text"], path);
  const field = type === "input_image"
    ? "image_url"
    : type === "input_file"
    ? "file_data"
    : undefined;
  const value = field === undefined ? undefined : part[field];
  if (typeof value !== "string" || !isBrokenData(value)) return undefined;
  return { path: [...path, field!], message: "What follows 'base64,' is not base64" };
}

/** Only the head is matched by a pattern with alternatives; the data is looked at once. */
function isBrokenData(value: string): boolean {
  const head = DATA_URL.exec(value.slice(0, 600))?.[0];
  return head !== undefined &&
    (value.length === head.length || !BASE64.test(value.slice(head.length)));
}

function faultOfTexts(
  item: JsonObject,
  fields: readonly string[],
  path: (string | number)[],
): ItemFault | undefined {
  const wrong = fields.find((field) => typeof item[field] !== "string");
  return wrong === undefined ? undefined : { path: [...path, wrong], message: "Expected a text" };
}

function shown(type: unknown): string {
  return typeof type === "string" ? `'${type.slice(0, 60)}'` : String(typeof type);
}
