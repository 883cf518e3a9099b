/**
 * Calls in Anthropic's dialect, as whole HTTP/1.1 messages.
 *
 * @module
 */

import { type ChatRequest, MESSAGES } from "./chat_requests.ts";
import { postRequest } from "./post_request.ts";

/** A call that asks what a chat call asks. */
export function messageRequest({ model, key, stream }: ChatRequest): string {
  const [system, user] = MESSAGES;
  return postRequest("messages", key, {
    model,
    system: system.content,
    messages: [user],
    max_tokens: 100,
    temperature: 0.7,
    ...(stream && { stream: true }),
  });
}
