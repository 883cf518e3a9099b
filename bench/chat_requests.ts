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
  /** Length of one more message before the others, in characters. Default: there is none. */
  readonly longPrompt?: number;
}

/** A chat call as bytes on the wire, here still text. */
export function chatRequest({ model, key, stream, longPrompt = 0 }: ChatRequest): string {
  const long = PROSE.repeat(Math.ceil(longPrompt / PROSE.length)).slice(0, longPrompt);
  return postRequest("chat/completions", key, {
    model,
    messages: longPrompt === 0 ? MESSAGES : [{ role: "user", content: long }, ...MESSAGES],
    max_tokens: 100,
    temperature: 0.7,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  });
}
