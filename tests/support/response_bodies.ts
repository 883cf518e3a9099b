/**
 * Bodies and events of the Responses API as OpenAI sends them, and calls for them.
 *
 * @module
 */

import type { Route } from "../../src/domain/catalogue.ts";
import type { ProviderCall } from "../../src/providers/contract/provider.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { responseCall } from "./converted_response.ts";
import { chatRoute } from "./provider_parts.ts";

/** Usage of {@linkcode responseBody}. */
export const RESPONSE_USAGE = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 1, cache_write_tokens: 0 },
  output_tokens: 2,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 7,
};

/** A message item; done, unless told otherwise. */
export function messageItem(text: string, changes: JsonObject = {}): JsonObject {
  return {
    id: "msg_1",
    type: "message",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
    ...changes,
  };
}

/** A function call item. */
export function callItem(args: string, changes: JsonObject = {}): JsonObject {
  return {
    id: "fc_1",
    type: "function_call",
    status: "completed",
    call_id: "call_1",
    name: "weather",
    arguments: args,
    ...changes,
  };
}

/** A complete answer. */
export function responseBody(changes: JsonObject = {}): JsonObject {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    completed_at: 1_700_000_001,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: "upstream-model-2026",
    output: [messageItem("Hello")],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: RESPONSE_USAGE,
    ...changes,
  };
}

/** Events with rising sequence numbers, as an upstream numbers them. */
export function numbered(events: readonly JsonObject[]): JsonObject[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** `response.created` and `response.in_progress`. */
export function beginEvents(): JsonObject[] {
  const response = responseBody({
    status: "in_progress",
    completed_at: null,
    output: [],
    usage: null,
  });
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
  ];
}

/** Every event of a message whose text comes in pieces. */
export function messageEvents(pieces: readonly string[], output_index = 0): JsonObject[] {
  const text = pieces.join("");
  const place = { item_id: "msg_1", output_index, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  return [
    {
      type: "response.output_item.added",
      output_index,
      item: messageItem("", { status: "in_progress", content: [] }),
    },
    { type: "response.content_part.added", ...place, part },
    ...pieces.map((delta) => ({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: [],
      obfuscation: "xyz",
    })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: { ...part, text } },
    { type: "response.output_item.done", output_index, item: messageItem(text) },
  ];
}

/** Every event of a function call whose arguments come in pieces. */
export function callEvents(pieces: readonly string[], output_index = 0): JsonObject[] {
  const whole = pieces.join("");
  const place = { item_id: "fc_1", output_index };
  return [
    {
      type: "response.output_item.added",
      output_index,
      item: callItem("", { status: "in_progress" }),
    },
    ...pieces.map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...place,
      delta,
    })),
    {
      type: "response.function_call_arguments.done",
      ...place,
      name: "weather",
      arguments: whole,
    },
    { type: "response.output_item.done", output_index, item: callItem(whole) },
  ];
}

/** The event that ends a stream. */
export function completedEvent(changes: JsonObject = {}): JsonObject {
  return { type: "response.completed", response: responseBody(changes) };
}

/** A whole stream that says "Hello". */
export function helloEvents(): JsonObject[] {
  return numbered([...beginEvents(), ...messageEvents(["Hel", "lo"]), completedEvent()]);
}

/** A route to an upstream that has the Responses API. */
export function nativeRoute(changes: Parameters<typeof chatRoute>[0] = {}): Route {
  return chatRoute({ ...changes, supports: { responses: true, ...changes.supports } });
}

/** A call to such a route. */
export function nativeCall(
  body: JsonObject = {},
  options: { route?: Route; outputTokensCap?: number } = {},
): ProviderCall {
  return responseCall(body, { route: nativeRoute(), ...options });
}
