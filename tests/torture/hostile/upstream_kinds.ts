/**
 * What upstreams of each kind answer, as they should and as they should not.
 *
 * @module
 */

import { exceptionFrame, frame } from "../../providers/bedrock/fixtures/frames.ts";
import { responseOf } from "../../support/gemini_bodies.ts";
import { eventText, messageBody, messageEvents } from "../../support/message_bodies.ts";

/** The same answer of 1,000 and 100 tokens in a kind's own form, and what else such upstreams may say. */
export interface UpstreamKind {
  /** The provider's line in a catalogue file, behind its id. */
  provider(origin: string): string;
  readonly upstreamModel: string;
  /** Whether its counts come with the reason for the end: then an answer is charged by them, or not at all. */
  readonly countsWithEnd: boolean;
  readonly streamType: string;
  whole(usage: unknown): object;
  events(usage: unknown): readonly unknown[];
  /** Of a stream. */
  encode(event: unknown): string | Uint8Array;
  readonly usage: object;
  readonly absurd: readonly unknown[];
  readonly wrong: readonly unknown[];
  readonly error: unknown;
}

const TEXT = "Some words of an answer.";
const BLOCKS = [{ type: "text", text: TEXT }];
const MESSAGE_USAGE = { input_tokens: 1_000, output_tokens: 100 };
const GEMINI_USAGE = { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100 };
const CONVERSE_USAGE = { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 };

const dataOf = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const half = (text: string) => [{ text }];

export const UPSTREAM_KINDS: Readonly<Record<"anthropic" | "gemini" | "bedrock", UpstreamKind>> = {
  anthropic: {
    provider: (origin) => `kind: anthropic, base_url: "${origin}", auth: none`,
    upstreamModel: "claude-opus-4-6",
    countsWithEnd: true,
    streamType: "text/event-stream",
    whole: (usage) => ({ ...messageBody(BLOCKS, { usage: MESSAGE_USAGE }), usage }),
    events(usage) {
      const events: unknown[] = messageEvents(BLOCKS, { usage: MESSAGE_USAGE });
      (events.at(-2) as { usage: unknown }).usage = usage;
      return events;
    },
    encode: (event) => event === null ? "data: null\n\n" : eventText(event as object),
    usage: MESSAGE_USAGE,
    absurd: [
      { input_tokens: -1, output_tokens: 5 },
      { input_tokens: 1e15, output_tokens: 5 },
      { input_tokens: "9", output_tokens: {} },
      { input_tokens: 1.5, output_tokens: 2 },
      { ...MESSAGE_USAGE, cache_read_input_tokens: -5 },
      { ...MESSAGE_USAGE, cache_creation: { ephemeral_1h_input_tokens: 1e300 } },
      [],
      "many",
    ],
    wrong: [
      { type: "message_start", message: 7 },
      { type: "content_block_start", index: "a", content_block: null },
      { type: "content_block_delta", index: 0, delta: [] },
      { type: "content_block_delta", index: -3, delta: { type: "text_delta", text: 5 } },
      { type: "message_delta", delta: "x", usage: 3 },
      { type: {} },
      [],
      null,
    ],
    error: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  },
  gemini: {
    provider: (origin) => `kind: gemini, base_url: "${origin}", auth: none`,
    upstreamModel: "gemini-3.1-pro",
    countsWithEnd: true,
    streamType: "text/event-stream",
    whole: (usageMetadata) => ({ ...responseOf(half(TEXT)), usageMetadata }),
    events: (usageMetadata) => [
      { candidates: [{ content: { parts: half("Some words "), role: "model" }, index: 0 }] },
      { candidates: [{ content: { parts: half("of an "), role: "model" }, index: 0 }] },
      { ...responseOf(half("answer.")), usageMetadata },
    ],
    encode: dataOf,
    usage: GEMINI_USAGE,
    absurd: [
      { promptTokenCount: -1, candidatesTokenCount: 5, totalTokenCount: 4 },
      { promptTokenCount: 1e300, candidatesTokenCount: 5 },
      { promptTokenCount: "9", candidatesTokenCount: {} },
      { ...GEMINI_USAGE, cachedContentTokenCount: -5 },
      { ...GEMINI_USAGE, thoughtsTokenCount: 1e15 },
      [],
      "many",
    ],
    wrong: [
      { candidates: 7 },
      { candidates: [null] },
      { candidates: [{ content: "x" }] },
      { candidates: [{ content: { parts: [5, null, { text: {} }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: 3 }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { name: "f", args: [] } }] } }] },
      { promptFeedback: [] },
      { usageMetadata: "x" },
      [],
      null,
    ],
    error: { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } },
  },
  bedrock: {
    provider: (origin) => `kind: bedrock, aws_region: us-east-1, base_url: "${origin}", auth: none`,
    upstreamModel: "amazon.nova-pro-v1:0",
    countsWithEnd: false,
    streamType: "application/vnd.amazon.eventstream",
    whole: (usage) => ({
      output: { message: { role: "assistant", content: half(TEXT) } },
      stopReason: "end_turn",
      usage,
    }),
    events: (usage) => [
      { messageStart: { role: "assistant" } },
      { contentBlockDelta: { delta: { text: "Some words " }, contentBlockIndex: 0 } },
      { contentBlockDelta: { delta: { text: "of an answer." }, contentBlockIndex: 0 } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: "end_turn" } },
      { metadata: { usage } },
    ],
    encode: (event) =>
      event instanceof Uint8Array ? event : frame(event as Readonly<Record<string, object>>),
    usage: CONVERSE_USAGE,
    absurd: [
      { inputTokens: -1, outputTokens: 5 },
      { inputTokens: 1e300, outputTokens: 5 },
      { inputTokens: "9", outputTokens: {} },
      { ...CONVERSE_USAGE, cacheReadInputTokens: -5 },
      { ...CONVERSE_USAGE, cacheWriteInputTokens: 1e15 },
      [],
    ],
    wrong: [
      { messageStart: { role: 7 } },
      { contentBlockStart: { start: { toolUse: 5 }, contentBlockIndex: "a" } },
      { contentBlockDelta: { delta: [], contentBlockIndex: 0 } },
      { contentBlockDelta: { delta: { text: {} }, contentBlockIndex: -3 } },
      { contentBlockDelta: { delta: { toolUse: { input: "x" } }, contentBlockIndex: 9 } },
      { contentBlockStop: { contentBlockIndex: null } },
      { tomorrow: { a: 1 } },
    ],
    error: exceptionFrame("modelStreamErrorException", { message: "Overloaded" }),
  },
};
