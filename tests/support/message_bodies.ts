/**
 * Messages as upstreams of Anthropic's dialect give them: answers, and streams in the order, with the
 * pings and the fields of recorded ones.
 *
 * @module
 */

import { rawSseReply, type Reply, type Step } from "./fake_upstream.ts";

/** A block of an answer, whole. */
export type Block = { readonly type: string; readonly [field: string]: unknown };

/** What an answer says besides its blocks. */
export interface MessageOptions {
  readonly usage?: object;
  readonly stopReason?: string;
  readonly stopSequence?: string;
  readonly model?: string;
}

/** Counts of every kind. */
export const FULL_USAGE = {
  input_tokens: 47,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 1_000,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  output_tokens: 373,
  output_tokens_details: { thinking_tokens: 62 },
  service_tier: "standard",
};

/** An answer in one piece. */
export function messageBody(
  content: readonly Block[],
  { usage = { input_tokens: 10, output_tokens: 5 }, stopReason, stopSequence, model }:
    MessageOptions = {},
): object {
  return {
    model: model ?? "claude-upstream",
    id: "msg_01",
    type: "message",
    role: "assistant",
    content,
    stop_reason: stopReason ?? (content.at(-1)?.type === "tool_use" ? "tool_use" : "end_turn"),
    stop_sequence: stopSequence ?? null,
    stop_details: null,
    usage,
    a_field_of_tomorrow: { kept: true },
  };
}

/** The events of the same answer, from its start to its stop. */
export function messageEvents(content: readonly Block[], options: MessageOptions = {}): object[] {
  const whole = messageBody(content, options) as Block & { usage: Record<string, unknown> };
  const { output_tokens: _, output_tokens_details: __, ...input } = whole.usage;
  const start = { ...whole, content: [], stop_reason: null, stop_sequence: null };
  return [
    { type: "message_start", message: { ...start, usage: { ...input, output_tokens: 2 } } },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: openedBlock(block) },
      ...(index === 0 ? [{ type: "ping" }] : []),
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: whole.stop_reason, stop_sequence: whole.stop_sequence },
      usage: whole.usage,
    },
    { type: "message_stop" },
  ];
}

/** As bytes of a stream. */
export function eventText(event: object): string {
  return `event: ${(event as Block).type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A stream of these events; steps of another kind are done as they are. */
export function messageReply(events: readonly (object | Step)[]): Reply {
  return rawSseReply(
    events.map((event) =>
      typeof event === "string" || event instanceof Promise || event instanceof Uint8Array ||
        "pauseMs" in event
        ? event
        : eventText(event)
    ),
  );
}

function openedBlock(block: Block): Block {
  switch (block.type) {
    case "text":
      return { ...block, text: "" };
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "tool_use":
      return { ...block, input: {} };
    default:
      return block;
  }
}

function deltasOf({ type, text, thinking, signature, input }: Block): Block[] {
  switch (type) {
    case "text":
      return halves(text).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...halves(thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature },
      ];
    case "tool_use": {
      const written = JSON.stringify(input);
      // A call without arguments has one empty piece.
      const pieces = written === "{}" ? [""] : ["", ...halves(written)];
      return pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
    }
    default:
      return [];
  }
}

function halves(text: unknown): string[] {
  const whole = String(text);
  const middle = Math.ceil(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)].filter((part) => part !== "");
}
