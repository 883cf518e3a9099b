/**
 * Calls of the Responses API, as whole HTTP/1.1 messages.
 *
 * @module
 */

import { MESSAGES } from "./chat_requests.ts";
import { postRequest } from "./post_request.ts";

/** A streamed call that asks what a chat call asks. */
export function responseRequest(
  { model, key, isStored }: {
    readonly model: string;
    readonly key: string;
    readonly isStored: boolean;
  },
): string {
  const [system, user] = MESSAGES;
  return postRequest("responses", key, {
    model,
    instructions: system.content,
    input: [user],
    max_output_tokens: 100,
    temperature: 0.7,
    stream: true,
    ...(isStored ? {} : { store: false }),
  });
}
