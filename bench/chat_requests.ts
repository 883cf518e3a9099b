/**
 * The requests that are sent, as whole HTTP/1.1 messages.
 *
 * @module
 */

import { postRequest } from "./post_request.ts";

/** What every call says. */
export const MESSAGES = [
  { role: "system", content: "You are a helpful assistant that answers in few words." },
  { role: "user", content: "Say something about gates and tolls, in four words, five times." },
] as const;

/** With what JSON escapes, as prompts have it. */
const PROSE = 'The gate opens when the toll is paid, "not before", said the keeper.\n';

/** What differs between calls. */
export interface ChatRequest {
  readonly model: string;
  readonly key: string;
  readonly stream: boolean;
  /** What was said before, as agents send it: so many messages, together so many characters. */
  readonly history?: { readonly messages: number; readonly characters: number };
}

/** A chat call as bytes on the wire, here still text. */
export function chatRequest({ model, key, stream, history }: ChatRequest): string {
  return postRequest("chat/completions", key, {
    model,
    messages: history === undefined ? MESSAGES : [...historyOf(history), ...MESSAGES],
    max_tokens: 100,
    temperature: 0.7,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  });
}

function historyOf({ messages, characters }: NonNullable<ChatRequest["history"]>) {
  const length = Math.floor(characters / messages);
  const content = PROSE.repeat(Math.ceil(length / PROSE.length)).slice(0, length);
  return Array.from(
    { length: messages },
    (_, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }),
  );
}
