/**
 * What the fake upstream answers in Anthropic's dialect: bytes that say what its chat answers say.
 *
 * @module
 */

const USAGE = {
  input_tokens: 24,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: 20,
  service_tier: "standard",
};

const MESSAGE = {
  id: "msg_bench0000000000000000000000",
  type: "message",
  role: "assistant",
  model: "bench-upstream",
  content: [] as object[],
  stop_reason: null as string | null,
  stop_sequence: null,
  usage: { ...USAGE, output_tokens: 1 },
};

/** The body of a plain answer. */
export const MESSAGE_BODY = JSON.stringify({
  ...MESSAGE,
  content: [{ type: "text", text: "Four words of answer. ".repeat(5) }],
  stop_reason: "end_turn",
  usage: USAGE,
});

/** The events of a stream, a piece of text in each of those between its ends. */
export function messageEvents(contents: readonly string[]): readonly string[] {
  return [
    { type: "message_start", message: MESSAGE },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...contents.map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    })),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: USAGE,
    },
    { type: "message_stop" },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
