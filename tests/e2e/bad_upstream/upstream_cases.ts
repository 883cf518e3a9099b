/**
 * Upstreams that answer wrongly, and what their caller must get.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { answerBody, chunk, finishChunk, usageChunk } from "../../support/chat_bodies.ts";
import {
  jsonReply,
  rawSseReply,
  type Reply,
  sseReply,
  textReply,
} from "../../support/fake_upstream_reply.ts";

/** What the caller gets. */
export type Outcome =
  /** 503, after which nothing was charged. */
  | "unavailable"
  /** The status and code of the upstream's own refusal, without charge. */
  | { readonly status: number; readonly code: string }
  /** 200 with this text; `usage` says where the counts come from. */
  | { readonly text: string; readonly usage: "reported" | "estimated" }
  /** 200, this text and then an error frame, without charge. */
  | { readonly cutAfter: string };

/** One wrong answer. */
export interface BadAnswer {
  /** Model id and upstream name. */
  readonly id: string;
  readonly name: string;
  readonly stream: boolean;
  readonly reply: Reply;
  readonly outcome: Outcome;
}

/** Addresses, keys, paths and traces as a careless upstream tells them. */
export const UPSTREAM_KEY = "sk-upstream-0123456789abcdef";
const TRACE = `It was ${UPSTREAM_KEY} at http://127.0.0.1:9/v1 and 10.1.2.3:8000\n` +
  `    at Object.handle (/srv/app/server.ts:12:3)\n    at node:internal/process:95:5`;
/** Of a refused key. */
export const CARELESS = `Error: Incorrect API key provided: ${UPSTREAM_KEY}. ${TRACE}`;
const HTML = `<!doctype html><title>502</title><h1>Bad gateway</h1><p>nginx on 127.0.0.1</p>`;
const MEBIBYTE = new Uint8Array(1024 * 1024).fill(0x20);
const hi = chunk({ role: "assistant", content: "Hi" });

/** A good answer or chunk, but for a field of so many MiB. */
export function padded(value: object, mebibytes: number): readonly (string | Uint8Array)[] {
  const open = JSON.stringify(value).slice(0, -1) + ',"padding":"';
  return [open, ...Array.from({ length: mebibytes }, () => MEBIBYTE), '"}'];
}

/** Behind gzip, 100 MiB take 100 KiB. */
function zipped(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  return gzipSync(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
}

/** A good answer of chat. */
export const plainBomb = zipped(...padded(answerBody("Hi"), 100));
const streamedBomb = zipped(
  "data: ",
  ...padded(hi, 100),
  `\n\ndata: ${JSON.stringify(finishChunk())}\n\ndata: [DONE]\n\n`,
);
const half = new Uint8Array([0xe2, 0x82]);
/** Bytes of a text with a truncated character in the place of `#`. */
export function withHalf(text: string): Uint8Array {
  const [before = "", after = ""] = text.split("#");
  const encoder = new TextEncoder();
  return new Uint8Array([...encoder.encode(before), ...half, ...encoder.encode(after)]);
}

function usageOf(usage: unknown): Record<string, unknown> {
  return { ...answerBody("Hi"), usage };
}

/** One, before it has a model. */
export type Case = Omit<BadAnswer, "id" | "stream">;

/** Wrong in the same way for plain calls and streams, whatever the dialect. */
export const BOTH: readonly Case[] = [
  { name: "HTML", reply: textReply("text/html", HTML), outcome: "unavailable" },
  {
    name: "HTML with a status of 502",
    reply: textReply("text/html", HTML, { status: 502 }),
    outcome: "unavailable",
  },
  { name: "nothing", reply: textReply("application/json", ""), outcome: "unavailable" },
  {
    name: "no content",
    reply: { status: 204, headers: {}, steps: [], framing: "length" },
    outcome: "unavailable",
  },
  {
    name: "a redirect",
    reply: {
      status: 307,
      headers: { location: "{trap}/chat/completions" },
      steps: ["Look there"],
      framing: "length",
    },
    outcome: "unavailable",
  },
  {
    name: "the wrong content type",
    reply: textReply("application/octet-stream", new Uint8Array([0, 1, 2, 0xff])),
    outcome: "unavailable",
  },
  {
    name: "a reset",
    reply: { before: ["reset!"], steps: [], framing: "raw" },
    outcome: "unavailable",
  },
  {
    name: "no HTTP",
    reply: { steps: ["SSH-2.0-x\r\n"], framing: "raw", closes: true },
    outcome: "unavailable",
  },
  {
    name: "an error that tells too much",
    reply: jsonReply({ error: { message: CARELESS } }, { status: 500 }),
    outcome: "unavailable",
  },
  {
    name: "a refused key",
    reply: jsonReply({ error: { message: CARELESS, code: "invalid_api_key" } }, { status: 401 }),
    outcome: "unavailable",
  },
  {
    name: "no money left with the vendor",
    reply: jsonReply({ error: { message: CARELESS, code: "insufficient_quota" } }, { status: 402 }),
    outcome: "unavailable",
  },
  {
    name: "a refusal of the request that tells too much",
    reply: jsonReply({ error: { message: `Too long. ${TRACE}`, code: "too_long" } }, {
      status: 400,
      headers: { "x-secret-header": "secret", "set-cookie": "a=secret" },
    }),
    outcome: { status: 400, code: "too_long" },
  },
  {
    name: "an error page of 100 MB behind gzip",
    reply: textReply("text/plain", plainBomb, {
      status: 500,
      headers: { "content-encoding": "gzip" },
    }),
    outcome: "unavailable",
  },
];

const PLAIN: readonly Case[] = [
  {
    name: "a huge answer",
    reply: {
      headers: { "content-type": "application/json" },
      steps: padded(answerBody("Hi"), 70),
    },
    outcome: "unavailable",
  },
  {
    name: "a gzip bomb",
    reply: textReply("application/json", plainBomb, { headers: { "content-encoding": "gzip" } }),
    outcome: "unavailable",
  },
  {
    name: "gzip that is none",
    reply: textReply("application/json", "{}", { headers: { "content-encoding": "gzip" } }),
    outcome: "unavailable",
  },
  {
    name: "half an object",
    reply: textReply("application/json", '{"choices": ['),
    outcome: "unavailable",
  },
  { name: "null", reply: jsonReply(null), outcome: "unavailable" },
  { name: "a list", reply: jsonReply([]), outcome: "unavailable" },
  { name: "an object that is no answer", reply: jsonReply({ ok: true }), outcome: "unavailable" },
  {
    name: "an error with a status of 200",
    reply: jsonReply({ error: { message: CARELESS } }),
    outcome: "unavailable",
  },
  {
    name: "an event stream that nobody asked for",
    reply: sseReply([hi, finishChunk(), "[DONE]"]),
    outcome: { text: "Hi", usage: "estimated" },
  },
  {
    name: "a body that is cut",
    reply: {
      headers: { "content-type": "application/json", "content-length": "5000" },
      steps: ['{"choices": [', "cut!"],
      framing: "length",
    },
    outcome: "unavailable",
  },
  {
    name: "half a UTF-8 sequence",
    reply: textReply("application/json", withHalf(JSON.stringify(answerBody("Hi #")))),
    outcome: { text: "Hi \ufffd", usage: "reported" },
  },
  {
    name: "usage missing",
    reply: jsonReply(usageOf(undefined)),
    outcome: { text: "Hi", usage: "estimated" },
  },
  ...[
    ["null", null],
    ["negative", { prompt_tokens: -5, completion_tokens: -1, total_tokens: -6 }],
    ["a fraction", { prompt_tokens: 1.5, completion_tokens: 1, total_tokens: 2.5 }],
    ["beyond every context", { prompt_tokens: 1e15, completion_tokens: 1e15, total_tokens: 2e15 }],
    ["text", { prompt_tokens: "many", completion_tokens: {}, total_tokens: [] }],
    ["a list", [1, 2, 3]],
  ].map(([name, usage]): Case => ({
    name: `usage that is ${name}`,
    reply: jsonReply(usageOf(usage)),
    outcome: { text: "Hi", usage: "estimated" },
  })),
];

const STREAMED: readonly Case[] = [
  {
    name: "a gzip bomb",
    reply: textReply("text/event-stream", streamedBomb, {
      headers: { "content-encoding": "gzip" },
    }),
    outcome: "unavailable",
  },
  {
    name: "a line of 20 MB",
    reply: rawSseReply([
      "data: ",
      ...padded(hi, 20),
      `

data: ${JSON.stringify(finishChunk())}

`,
    ]),
    outcome: "unavailable",
  },
  {
    name: "an answer in one piece",
    reply: jsonReply(answerBody("Hi")),
    outcome: { text: "Hi", usage: "reported" },
  },
  { name: "an empty stream", reply: sseReply([]), outcome: "unavailable" },
  { name: "[DONE] alone", reply: sseReply(["[DONE]"]), outcome: "unavailable" },
  {
    name: "events that are no JSON",
    reply: sseReply(["nonsense", "[DONE]"]),
    outcome: "unavailable",
  },
  {
    name: "an error as its first event",
    reply: sseReply([{ error: { message: CARELESS } }]),
    outcome: "unavailable",
  },
  {
    name: "a reset before the first event",
    reply: rawSseReply([": hello\n\n", "reset!"]),
    outcome: "unavailable",
  },
  {
    name: "an error in the middle",
    reply: sseReply([hi, { error: { message: CARELESS } }, "[DONE]"]),
    outcome: { cutAfter: "Hi" },
  },
  { name: "a cut in the middle", reply: sseReply([hi, "cut!"]), outcome: { cutAfter: "Hi" } },
  { name: "a reset in the middle", reply: sseReply([hi, "reset!"]), outcome: { cutAfter: "Hi" } },
  {
    name: "an end without a finish reason",
    reply: sseReply([hi]),
    outcome: { cutAfter: "Hi" },
  },
  {
    name: "[DONE] without a finish reason",
    reply: sseReply([hi, "[DONE]"]),
    outcome: { text: "Hi", usage: "estimated" },
  },
  {
    name: "[DONE] missing after the finish reason",
    reply: sseReply([hi, finishChunk()]),
    outcome: { text: "Hi", usage: "estimated" },
  },
  {
    name: "[DONE] missing after the usage",
    reply: sseReply([hi, finishChunk(), usageChunk(10, 5)]),
    outcome: { text: "Hi", usage: "reported" },
  },
  {
    name: "half a UTF-8 sequence",
    reply: rawSseReply([
      withHalf(`data: ${JSON.stringify(chunk({ content: "Hi #" }))}\n\n`),
      `data: ${JSON.stringify(finishChunk())}\n\n`,
      "data: [DONE]\n\n",
    ]),
    outcome: { text: "Hi \ufffd", usage: "estimated" },
  },
  {
    name: "usage that is absurd",
    reply: sseReply([hi, finishChunk(), usageChunk(-1, 1e15), "[DONE]"]),
    outcome: { text: "Hi", usage: "estimated" },
  },
];

/** Each with a model of its own, so that none is spared by another's cool-down. */
export function numbered(plain: readonly Case[], streamed: readonly Case[]): readonly BadAnswer[] {
  return [
    ...plain.map((one) => ({ ...one, stream: false })),
    ...streamed.map((one) => ({ ...one, stream: true })),
  ].map((one, index) => ({ ...one, id: `bad-${index}` }));
}

/** All of them. */
export const BAD_ANSWERS = numbered([...BOTH, ...PLAIN], [...BOTH, ...STREAMED]);
