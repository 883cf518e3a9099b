/**
 * The requests that are sent, as whole HTTP/1.1 messages.
 *
 * @module
 */

const MESSAGES = [
  { role: "system", content: "You are a helpful assistant that answers in few words." },
  { role: "user", content: "Say something about gates and tolls, in four words, five times." },
];

/** What differs between calls. */
export interface ChatRequest {
  readonly model: string;
  readonly key: string;
  readonly stream: boolean;
}

/** A chat call as bytes on the wire, here still text. */
export function chatRequest({ model, key, stream }: ChatRequest): string {
  const body = JSON.stringify({
    model,
    messages: MESSAGES,
    max_tokens: 100,
    temperature: 0.7,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  });
  return "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n" +
    `authorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
    `accept: application/json\r\nuser-agent: tollgate-bench\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
}
