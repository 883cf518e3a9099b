/**
 * Anthropic's Messages, as their callers speak them.
 *
 * @module
 */

import type { Caller, Read, Reason, Turn } from "../neutral.ts";
import { eventsOf } from "../neutral.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a client without types reads them
type Json = any;

const REASONS: Record<string, Reason> = {
  end_turn: "end",
  max_tokens: "length",
  tool_use: "calls",
  refusal: "refused",
};

export const messages: Caller = {
  name: "messages",
  path: "/v1/messages",
  countPath: "/v1/messages/count_tokens",

  body({ system, turns, tools, mostTokens = 1_000, effort, schema }, model) {
    return {
      model,
      max_tokens: mostTokens,
      messages: turns.map(messageOf),
      ...(system !== undefined && { system }),
      ...(tools !== undefined && {
        tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
      }),
      ...(effort !== undefined && { thinking: { type: "adaptive" } }),
      ...((schema ?? effort) !== undefined && {
        output_config: {
          ...(schema !== undefined && { format: { type: "json_schema", schema } }),
          ...(effort !== undefined && { effort }),
        },
      }),
    };
  },

  read: (body) => readMessage(body),

  readStream(text) {
    let message: Json;
    for (const event of eventsOf(text) as Json[]) {
      switch (event.type) {
        case "message_start":
          message = event.message;
          break;
        case "content_block_start":
          message.content[event.index] = { ...event.content_block, written: "" };
          break;
        case "content_block_delta": {
          const block = message.content[event.index];
          const { text = "", thinking = "", partial_json = "" } = event.delta;
          if (block.text !== undefined) block.text += text;
          if (block.thinking !== undefined) block.thinking += thinking;
          block.written += partial_json;
          break;
        }
        case "content_block_stop": {
          const block = message.content[event.index];
          if (block.written !== "") block.input = JSON.parse(block.written);
          break;
        }
        case "message_delta":
          message = {
            ...message,
            ...event.delta,
            usage: { ...message.usage, ...event.usage },
            provider: event.provider,
            route: event.route,
            pricing: event.pricing,
          };
          break;
        case "error":
          throw new Error(event.error.message);
      }
    }
    return readMessage(message);
  },

  readError: (status, { error }) => ({ status, message: (error as Json).message }),
};

function readMessage({ content, usage, stop_reason, provider, route, pricing }: Json): Read {
  const of = (type: string): Json[] => content.filter((block: Json) => block.type === type);
  const thoughts = usage.output_tokens_details?.thinking_tokens ?? 0;
  return {
    thoughts: of("thinking").map(({ thinking }) => thinking).join(""),
    text: of("text").map(({ text }) => text).join(""),
    calls: of("tool_use").map(({ id, name, input }) => ({ id, name, input })),
    reason: REASONS[stop_reason]!,
    counts: {
      input: usage.input_tokens,
      cached: usage.cache_read_input_tokens ?? 0,
      output: usage.output_tokens - thoughts,
      thoughts,
    },
    provider,
    route,
    cost: pricing?.cost_amount,
  };
}

function messageOf(turn: Turn): object {
  switch (turn.by) {
    case "user": {
      const { text, image, document } = turn;
      const content: object[] = [{ type: "text", text }];
      if (image !== undefined) {
        const source = { type: "base64", media_type: "image/png", data: image };
        content.push({ type: "image", source });
      }
      if (document !== undefined) {
        const source = { type: "base64", media_type: "application/pdf", data: document };
        content.push({ type: "document", title: "paper.pdf", source });
      }
      return { role: "user", content };
    }
    case "model":
      return {
        role: "assistant",
        content: [
          ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text }]),
          ...(turn.calls ?? []).map((call) => ({ type: "tool_use", ...call })),
        ],
      };
    case "tools":
      return {
        role: "user",
        content: turn.results.map(({ of, text }) => ({
          type: "tool_result",
          tool_use_id: of.id,
          content: text,
        })),
      };
  }
}
