/**
 * Upstreams of OpenAI's chat, with the fields of those that show their thoughts.
 *
 * @module
 */

import { jsonReply, type Reply, sseReply } from "../../../support/fake_upstream.ts";
import { answerBody, chunk } from "../../../support/chat_bodies.ts";
import {
  type Counts,
  type Failure,
  halves,
  type Heard,
  type Said,
  type Vendor,
} from "../neutral.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a server without types reads them
type Json = any;

const REASONS = {
  end: "stop",
  length: "length",
  calls: "tool_calls",
  refused: "content_filter",
} as const;

export const openaiChat: Vendor = {
  name: "OpenAI's chat",
  provider: (origin) => `kind: openai_compatible, base_url: "${origin}/v1", auth: none`,
  givesIds: true,
  isStream: ({ body }) => JSON.parse(body).stream === true,

  answer({ thoughts, text, calls, reason, counts }) {
    const body = answerBody(text, usageOf(counts)) as Json;
    const message = body.choices[0].message;
    body.choices[0].finish_reason = REASONS[reason];
    if (thoughts !== "") message.reasoning_content = thoughts;
    if (calls.length > 0) message.tool_calls = calls.map(callOf);
    if (text === "") message.content = null;
    return jsonReply(body);
  },

  stream(said) {
    return sseReply([
      ...contentChunks(said),
      chunk({}, REASONS[said.reason]),
      { ...chunk({}), choices: [], usage: usageOf(said.counts) },
      "[DONE]",
    ]);
  },

  cut: (said) => sseReply([...contentChunks(said), "cut!"]),

  fail: (failure) => failOpenAi(failure),

  hear({ body }) {
    const { model, messages, tools = [], response_format: format, ...more } = JSON.parse(body);
    const of = (role: string): Json[] => messages.filter((one: Json) => one.role === role);
    const parts = messages.flatMap(({ content }: Json) => Array.isArray(content) ? content : []);
    const fileData = (data: string) => data.slice(data.indexOf(",") + 1);
    return {
      model,
      system: of("system").map(({ content }) => textOf(content)).join("\n"),
      texts: messages.filter(({ role }: Json) => role === "user" || role === "assistant")
        .map(({ content }: Json) => textOf(content)).filter((text: string) => text !== ""),
      images: parts.filter(({ type }: Json) => type === "image_url")
        .map(({ image_url: { url } }: Json) => fileData(url)),
      documents: parts.filter(({ type }: Json) => type === "file")
        .map(({ file }: Json) => fileData(file.file_data)),
      tools: tools.map(({ function: { name, description, parameters } }: Json) => ({
        name,
        description,
        parameters,
      })),
      calls: of("assistant").flatMap(({ tool_calls = [] }) => tool_calls)
        .map(({ function: { name, arguments: input } }) => ({ name, input: JSON.parse(input) })),
      results: of("tool").map(({ content }) => ({ text: textOf(content) })),
      mostTokens: more.max_completion_tokens ?? more.max_tokens,
      effort: more.reasoning_effort,
      schema: format?.json_schema.schema,
    } satisfies Heard;
  },
};

/** An error as OpenAI's servers tell it. */
export function failOpenAi({ kind, message }: Failure): Reply {
  const [status, type] = {
    busy: [429, "rate_limit_exceeded"],
    broken: [500, "server_error"],
    caller: [400, "invalid_request_error"],
  }[kind] as [number, string];
  return jsonReply({ error: { message, type, param: null, code: null } }, {
    status,
    headers: kind === "busy" ? { "retry-after": "1" } : {},
  });
}

function contentChunks({ thoughts, text, calls }: Said): object[] {
  return [
    chunk({ role: "assistant", content: "" }),
    ...halves(thoughts).map((reasoning_content) => chunk({ reasoning_content })),
    ...halves(text).map((content) => chunk({ content })),
    ...calls.flatMap((call, index) => {
      const { id, type, function: { name, arguments: input } } = callOf(call);
      return [
        chunk({ tool_calls: [{ index, id, type, function: { name, arguments: "" } }] }),
        ...halves(input).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
        ),
      ];
    }),
  ];
}

function callOf({ id, name, input }: Said["calls"][number]) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function usageOf({ input, cached, output, thoughts }: Counts) {
  return {
    prompt_tokens: input + cached,
    completion_tokens: output + thoughts,
    total_tokens: input + cached + output + thoughts,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thoughts },
  };
}

function textOf(content: Json): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  return content.map(({ text = "" }: Json) => text).join("");
}

/** The same dialect at Azure, whose first chunk tells of the prompt alone. */
export const azure: Vendor = {
  ...openaiChat,
  name: "Azure",
  provider: (origin) => `kind: azure, base_url: "${origin}", api_key: env:VENDOR_KEY`,
  stream(said) {
    const filters = { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] };
    const first = `data: ${JSON.stringify({ ...chunk({}), id: "", choices: [], ...filters })}\n\n`;
    const { steps, ...reply } = openaiChat.stream(said);
    return { ...reply, steps: [first, ...steps] };
  },
};

/** The same dialect at Bedrock. */
export const bedrockOpenAi: Vendor = {
  ...openaiChat,
  name: "Bedrock's chat",
  provider: (origin) =>
    `kind: bedrock, bedrock_api: openai, aws_region: us-east-1, base_url: "${origin}/openai/v1", api_key: env:VENDOR_KEY`,
};
