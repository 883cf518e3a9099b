/**
 * The kinds of calls whose cost is measured.
 *
 * @module
 */

import { type ChatRequest, chatRequest } from "./chat_requests.ts";
import type { LoadOptions } from "./measure_load.ts";
import { LATE_MODEL, MODEL } from "./servers.ts";

/** What is asked for, over how many connections. */
export interface CallKind extends Omit<ChatRequest, "key"> {
  readonly name: string;
  readonly connections: number;
}

/** A small prompt, a small answer. */
export const PLAIN_CALL: CallKind = {
  name: "plain call",
  model: MODEL,
  stream: false,
  connections: 32,
};

/** As vendors answer: late, so that many calls are open at one time. */
export const LATE_CALL: CallKind = {
  name: "plain call, answered after 30 ms",
  model: LATE_MODEL,
  stream: false,
  connections: 256,
};

/** 20 content chunks. */
export const STREAMED_CALL: CallKind = {
  name: "stream of 20 chunks",
  model: MODEL,
  stream: true,
  connections: 32,
};

/** As agents ask: with all that was said so far. */
export const LONG_CALL: CallKind = {
  name: "plain call, prompt of 100 KB in 200 messages",
  model: MODEL,
  stream: false,
  connections: 32,
  history: { messages: 200, characters: 100_000 },
};

/** The load of a kind, with a key. */
export function loadOf(
  { connections, ...request }: CallKind,
  { key, ...limits }: { readonly key: string; readonly seconds: number; maxRequests?: number },
): LoadOptions {
  return { connections, requests: [chatRequest({ ...request, key })], ...limits };
}
