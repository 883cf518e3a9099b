/**
 * Upstreams of Anthropic's dialect.
 *
 * @module
 */

import { jsonReply } from "../../../support/fake_upstream.ts";
import {
  type Block,
  messageBody,
  messageEvents,
  messageReply,
} from "../../../support/message_bodies.ts";
import type { Counts, Heard, Said, Vendor } from "../neutral.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a server without types reads them
type Json = any;

const REASONS = {
  end: "end_turn",
  length: "max_tokens",
  calls: "tool_use",
  refused: "refusal",
} as const;

export const anthropic: Vendor = {
  name: "Anthropic's Messages",
  provider: (origin) => `kind: anthropic, base_url: "${origin}", auth: none`,
  counting: ["responses", "messages"],
  givesIds: true,
  isStream: ({ body }) => JSON.parse(body).stream === true,
  answer: (said) => jsonReply(messageBody(blocksOf(said), optionsOf(said))),
  stream: (said) => messageReply(messageEvents(blocksOf(said), optionsOf(said))),
  cut: (said) =>
    messageReply([...messageEvents(blocksOf(said), optionsOf(said)).slice(0, -2), "cut!"]),

  fail({ kind, message }) {
    const [status, type] = {
      busy: [529, "overloaded_error"],
      broken: [500, "api_error"],
      caller: [400, "invalid_request_error"],
    }[kind] as [number, string];
    return jsonReply({ type: "error", error: { type, message }, request_id: "req_up" }, { status });
  },

  hear: ({ body }) => hearMessages(JSON.parse(body)),
};

/** The same dialect at Bedrock. */
export const bedrockAnthropic: Vendor = {
  ...anthropic,
  name: "Bedrock's Messages",
  provider: (origin) =>
    `kind: bedrock, bedrock_api: anthropic, aws_region: us-east-1, base_url: "${origin}/anthropic", ` +
    "api_key: env:VENDOR_KEY",
};

/** A request in Anthropic's dialect, wherever it names its model. */
export function hearMessages(body: Json): Heard {
  const { model, system = [], messages, tools = [], max_tokens: most, output_config: out } = body;
  const blocks: Json[] = messages.flatMap(({ content }: Json) =>
    typeof content === "string" ? [{ type: "text", text: content }] : content
  );
  const of = (type: string) => blocks.filter((block) => block.type === type);
  return {
    model,
    system: typeof system === "string" ? system : system.map(({ text }: Json) => text).join("\n"),
    texts: of("text").map(({ text }) => text),
    images: of("image").map(({ source }) => source.data),
    documents: of("document").map(({ source }) => source.data),
    tools: tools.map(({ name, description, input_schema: parameters }: Json) => ({
      name,
      description,
      parameters,
    })),
    calls: of("tool_use").map(({ name, input }) => ({ name, input })),
    results: of("tool_result").map(({ content }) => ({
      text: typeof content === "string" ? content : content[0].text,
    })),
    mostTokens: most,
    effort: body.thinking?.type === "adaptive" ? out?.effort : undefined,
    schema: out?.format?.schema,
  };
}

function blocksOf({ thoughts, text, calls }: Said): Block[] {
  return [
    ...(thoughts === "" ? [] : [{ type: "thinking", thinking: thoughts, signature: "EsEC" }]),
    ...(text === "" ? [] : [{ type: "text", text, citations: null }]),
    ...calls.map((call) => ({ type: "tool_use", ...call })),
  ];
}

function optionsOf({ reason, counts }: Said) {
  return { usage: usageOf(counts), stopReason: REASONS[reason] };
}

function usageOf({ input, cached, output, thoughts }: Counts) {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output + thoughts,
    output_tokens_details: { thinking_tokens: thoughts },
  };
}
