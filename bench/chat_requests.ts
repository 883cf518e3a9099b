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

/** What differs between calls. */
export interface ChatRequest {
  readonly model: string;
  readonly key: string;
  readonly stream: boolean;
}

/** A chat call as bytes on the wire, here still text. */
export function chatRequest({ model, key, stream }: ChatRequest): string {
  return postRequest("chat/completions", key, {
    model,
    messages: MESSAGES,
    max_tokens: 100,
    temperature: 0.7,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  });
}
