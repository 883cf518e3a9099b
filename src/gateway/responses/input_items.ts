/**
 * The input of a request as items that can be kept and listed.
 *
 * @module
 */

import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../domain/json_value.ts";

const ID_CHARACTERS = 24;
/** What the ids of items begin with, by their type. */
const ID_PREFIXES: { readonly [type: string]: string | undefined } = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "cto",
};

/** Every item with a type and an id; a text is one message of the user. */
export function inputItems(input: string | readonly JsonObject[]): readonly JsonObject[] {
  if (typeof input === "string") {
    return [
      withId({ type: "message", role: "user", content: [{ type: "input_text", text: input }] }),
    ];
  }
  return input.map((item) => withId({ ...item, type: item.type ?? "message" }));
}

/**
 * Sees to it that every output answers a call of the conversation.
 *
 * @param earlier How many of `items` are from earlier answers.
 * @throws {GatewayError} `invalid_value`, naming the item as the request counts it.
 */
export function requireCalls(items: readonly JsonObject[], earlier: number): void {
  const calls = new Set<unknown>();
  for (const [index, { type, call_id: callId }] of items.entries()) {
    if (type === "function_call" || type === "custom_tool_call") calls.add(callId);
    const isOutput = type === "function_call_output" || type === "custom_tool_call_output";
    if (!isOutput || calls.has(callId)) continue;
    throw new GatewayError(
      "invalid_value",
      `No tool call found for the output with call_id '${
        String(callId).slice(0, 100)
      }': send the call before its output, or name the answer with the call as 'previous_response_id'`,
      { param: `input[${index - earlier}].call_id` },
    );
  }
}

function withId(item: JsonObject): JsonObject {
  if (typeof item.id === "string" && item.id !== "") return item;
  const prefix = ID_PREFIXES[String(item.type)] ?? "item";
  return { ...item, id: `${prefix}_${randomName(ID_CHARACTERS)}` };
}
