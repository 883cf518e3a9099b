/**
 * What a model says, as an upstream writes it under either of OpenAI's protocols:
 * the same answer of one that only has chat, and of one that has the Responses API.
 *
 * @module
 */

import type { JsonObject } from "../../src/domain/json_value.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "./chat_bodies.ts";
import {
  jsonReply,
  rawSseReply,
  type RecordedRequest,
  type Reply,
  sseReply,
} from "./fake_upstream.ts";
import { messageItem, numbered, responseBody } from "./response_bodies.ts";

/** What a model says. */
export interface SpokenAnswer {
  readonly thoughts?: string;
  /** In the pieces that it is streamed in. */
  readonly text?: readonly string[];
  readonly refusal?: string;
  /** Functions that it calls, each with its arguments as JSON. */
  readonly calls?: readonly { readonly name: string; readonly args: string }[];
  /** Why it is cut, if it is. */
  readonly cut?: "length" | "content_filter";
}

/** Settings that a Response object says back as they were asked, and what OpenAI has for those that were not. */
const SAID_BACK = ["instructions", "max_output_tokens", "temperature", "top_p"];
const DEFAULTS: Readonly<JsonObject> = {
  metadata: {},
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [],
  truncation: "disabled",
};
const INPUT_TOKENS = 10;
const OUTPUT_TOKENS = 5;

/** Answers a request for chat or for a response, in one piece or as a stream. */
export function spoken(answer: SpokenAnswer): (request: RecordedRequest) => Reply {
  return (request) => {
    const asked = request.json();
    const isStream = asked.stream === true;
    if (request.target.endsWith("/responses")) {
      return isStream
        ? rawSseReply(numbered(eventsOf(answer, asked)).map(typedEvent))
        : jsonReply(lastResponse(answer, asked));
    }
    return isStream
      ? sseReply([...chunksOf(answer), usageChunk(INPUT_TOKENS, OUTPUT_TOKENS), "[DONE]"])
      : jsonReply(chatBody(answer));
  };
}

/** An event as OpenAI writes it, with its type before it. */
export function typedEvent(event: JsonObject): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function finishReason({ calls, cut }: SpokenAnswer): string {
  return cut ?? (calls === undefined ? "stop" : "tool_calls");
}

function chatBody(answer: SpokenAnswer): JsonObject {
  const { thoughts, text, refusal = null, calls } = answer;
  const body = answerBody(text?.join("") ?? "", {
    prompt_tokens: INPUT_TOKENS,
    completion_tokens: OUTPUT_TOKENS,
    total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
  });
  const message = {
    role: "assistant",
    content: text?.join("") ?? null,
    refusal,
    ...(thoughts !== undefined && { reasoning_content: thoughts }),
    ...(calls !== undefined && {
      tool_calls: calls.map(({ name, args }, index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name, arguments: args },
      })),
    }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(answer) };
  return { ...body, choices: [choice] };
}

function chunksOf(answer: SpokenAnswer): JsonObject[] {
  const { thoughts, text = [], refusal, calls = [] } = answer;
  return [
    chunk({ role: "assistant", content: "" }),
    ...halves(thoughts ?? "").map((reasoning_content) => chunk({ reasoning_content })),
    ...text.map((content) => chunk({ content })),
    ...halves(refusal ?? "").map((half) => chunk({ refusal: half })),
    ...calls.flatMap(({ name, args }, index) => [
      chunk({
        tool_calls: [{
          index,
          id: `call_${index}`,
          type: "function",
          function: { name, arguments: "" },
        }],
      }),
      ...halves(args).map((half) =>
        chunk({ tool_calls: [{ index, function: { arguments: half } }] })
      ),
    ]),
    finishChunk(finishReason(answer)),
  ];
}

/** A text in two pieces; none of an empty one. */
function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

function lastResponse(answer: SpokenAnswer, asked: JsonObject): JsonObject {
  const reason = answer.cut === "length" ? "max_output_tokens" : answer.cut;
  return responseBody({
    ...Object.fromEntries(SAID_BACK.map((field) => [field, asked[field] ?? null])),
    ...Object.fromEntries(
      Object.entries(DEFAULTS).map(([field, value]) => [field, asked[field] ?? value]),
    ),
    output: itemsOf(answer),
    ...(reason !== undefined && {
      status: "incomplete",
      completed_at: null,
      incomplete_details: { reason },
    }),
    usage: {
      input_tokens: INPUT_TOKENS,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: OUTPUT_TOKENS,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
    },
  });
}

function itemsOf({ thoughts, text, refusal, calls = [], cut }: SpokenAnswer): JsonObject[] {
  const content = [
    ...(text === undefined ? [] : [{ ...TEXT_PART, text: text.join("") }]),
    ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
  ];
  const status = cut === undefined ? "completed" : "incomplete";
  return [
    ...(thoughts === undefined
      ? []
      : [{ id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: thoughts }] }]),
    ...(content.length === 0 ? [] : [messageItem("", { content, status })]),
    ...calls.map(({ name, args }, index) => ({
      id: `fc_${index}`,
      type: "function_call",
      status,
      call_id: `call_${index}`,
      name,
      arguments: args,
    })),
  ];
}

const TEXT_PART = { type: "output_text", annotations: [], logprobs: [] };

function eventsOf(answer: SpokenAnswer, asked: JsonObject): JsonObject[] {
  const last = lastResponse(answer, asked);
  const response = {
    ...last,
    status: "in_progress",
    completed_at: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...(last.output as JsonObject[]).flatMap((item, index) => eventsOfItem(item, index, answer)),
    { type: `response.${last.status}`, response: last },
  ];
}

function eventsOfItem(item: JsonObject, output_index: number, answer: SpokenAnswer): JsonObject[] {
  const place = { item_id: item.id, output_index };
  const added = (fields: JsonObject) => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, ...fields },
  });
  const done = { type: "response.output_item.done", output_index, item };
  switch (item.type) {
    case "reasoning": {
      const at = { ...place, summary_index: 0 };
      const [part] = item.summary as { text: string }[];
      const { text } = part!;
      const name = "response.reasoning_summary_text";
      return [
        added({ summary: [] }),
        { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
        ...halves(text).map((delta) => ({ type: `${name}.delta`, ...at, delta })),
        { type: `${name}.done`, ...at, text },
        { type: "response.reasoning_summary_part.done", ...at, part },
        done,
      ];
    }
    case "function_call": {
      const { name, arguments: args } = item as { name: string; arguments: string };
      const base = "response.function_call_arguments";
      return [
        added({ arguments: "", status: "in_progress" }),
        ...halves(args).map((delta) => ({ type: `${base}.delta`, ...place, delta })),
        { type: `${base}.done`, ...place, name, arguments: args },
        done,
      ];
    }
    default:
      return [
        added({ content: [], status: "in_progress" }),
        ...(item.content as JsonObject[]).flatMap((part, content_index) =>
          eventsOfPart(part, { ...place, content_index }, answer)
        ),
        done,
      ];
  }
}

function eventsOfPart(part: JsonObject, at: JsonObject, { text = [] }: SpokenAnswer): JsonObject[] {
  const isText = part.type === "output_text";
  const base = isText ? "response.output_text" : "response.refusal";
  const field = isText ? "text" : "refusal";
  const logprobs = isText ? { logprobs: [] } : {};
  const pieces = isText ? text : halves(part.refusal as string);
  return [
    { type: "response.content_part.added", ...at, part: { ...part, [field]: "" } },
    ...pieces.map((delta) => ({ type: `${base}.delta`, ...at, delta, ...logprobs })),
    { type: `${base}.done`, ...at, [field]: part[field], ...logprobs },
    { type: "response.content_part.done", ...at, part },
  ];
}
