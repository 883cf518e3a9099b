/**
 * Bedrock's Converse, whose streams are frames of bytes.
 *
 * @module
 */

import { exceptionFrame, frame } from "../../../providers/bedrock/fixtures/frames.ts";
import { jsonReply, type Reply, type Step } from "../../../support/fake_upstream.ts";
import { type Counts, halves, type Heard, type Said, type Vendor } from "../neutral.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a server without types reads them
type Json = any;

const REASONS = {
  end: "end_turn",
  length: "max_tokens",
  calls: "tool_use",
  refused: "content_filtered",
} as const;

export const bedrockConverse: Vendor = {
  name: "Bedrock's Converse",
  provider: (origin) =>
    `kind: bedrock, aws_region: us-east-1, base_url: "${origin}", api_key: env:VENDOR_KEY`,
  route: "supports: { thinking: effort }",
  givesIds: true,
  // How much of the output was thoughts is not told.
  told: ({ output, thoughts, ...counts }) => ({
    ...counts,
    output: output + thoughts,
    thoughts: 0,
  }),
  isStream: ({ target }) => target.endsWith("/converse-stream"),
  answer: (said) =>
    jsonReply({
      output: { message: { role: "assistant", content: blocksOf(said) } },
      stopReason: REASONS[said.reason],
      usage: usageOf(said.counts),
      metrics: { latencyMs: 12 },
    }),
  stream: (said) =>
    framesReply([
      ...framesOf(said),
      frame({ messageStop: { stopReason: REASONS[said.reason] } }),
      frame({ metadata: { usage: usageOf(said.counts), metrics: { latencyMs: 12 } } }),
    ]),
  cut: (said) =>
    framesReply([
      ...framesOf(said),
      exceptionFrame("modelStreamErrorException", { message: "The model has stopped" }),
    ]),

  fail({ kind, message }) {
    const [status, type] = {
      busy: [429, "ThrottlingException"],
      broken: [500, "InternalServerException"],
      caller: [400, "ValidationException"],
    }[kind] as [number, string];
    const reply = jsonReply({ message }, { status });
    return { ...reply, headers: { ...reply.headers, "x-amzn-errortype": `${type}:http://a.b/c` } };
  },

  hear({ target, body }) {
    const {
      messages,
      system = [],
      toolConfig,
      inferenceConfig: how = {},
      additionalModelRequestFields: own,
    } = JSON.parse(body);
    const blocks: Json[] = messages.flatMap(({ content }: Json) => content);
    const of = (type: string) =>
      blocks.flatMap((block) => block[type] === undefined ? [] : [block[type]]);
    const told: string[] = system.map(({ text }: Json) => text);
    const form = told.find((text) => text.includes(FORM));
    return {
      model: /^\/model\/([^/]+)\/converse/.exec(target)![1]!,
      system: told.filter((text) => text !== form).join("\n"),
      texts: of("text"),
      images: of("image").map(({ source }) => source.bytes),
      documents: of("document").map(({ source }) => source.bytes),
      tools: (toolConfig?.tools ?? []).map((
        { toolSpec: { name, description, inputSchema } }: Json,
      ) => ({ name, description, parameters: inputSchema.json })),
      calls: of("toolUse").map(({ name, input }) => ({ name, input })),
      results: of("toolResult").map(({ content }) => ({ text: content[0].text })),
      mostTokens: how.maxTokens,
      effort: own?.thinking?.type === "adaptive" ? own.output_config.effort : undefined,
      schema: form === undefined ? undefined : JSON.parse(form.split(FORM)[1]!),
    } satisfies Heard;
  },
};

/** What stands before a schema that is told in words, as a model without the field has it. */
const FORM = "JSON schema: ";

function blocksOf({ thoughts, text, calls }: Said): object[] {
  return [
    ...(thoughts === ""
      ? []
      : [{ reasoningContent: { reasoningText: { text: thoughts, signature: "EuYBCkQ=" } } }]),
    ...(text === "" ? [] : [{ text }]),
    ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
}

/** Of text and thoughts no start is told. */
function framesOf({ thoughts, text, calls }: Said): Uint8Array[] {
  const blocks: { readonly start?: object; readonly deltas: readonly object[] }[] = [
    ...(thoughts === "" ? [] : [{
      deltas: [
        ...halves(thoughts).map((text) => ({ reasoningContent: { text } })),
        { reasoningContent: { signature: "EuYBCkQ=" } },
      ],
    }]),
    ...(text === "" ? [] : [{ deltas: halves(text).map((text) => ({ text })) }]),
    ...calls.map(({ id, name, input }) => ({
      start: { toolUse: { toolUseId: id, name } },
      deltas: halves(JSON.stringify(input)).map((input) => ({ toolUse: { input } })),
    })),
  ];
  return [
    frame({ messageStart: { role: "assistant" } }),
    ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start === undefined ? [] : [frame({ contentBlockStart: { start, contentBlockIndex } })]),
      ...deltas.map((delta) => frame({ contentBlockDelta: { delta, contentBlockIndex } })),
      frame({ contentBlockStop: { contentBlockIndex } }),
    ]),
  ];
}

/** What was cached is beside the input. */
function usageOf({ input, cached, output, thoughts }: Counts) {
  return {
    inputTokens: input,
    outputTokens: output + thoughts,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
    totalTokens: input + cached + output + thoughts,
  };
}

function framesReply(steps: readonly Step[]): Reply {
  return {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
    steps,
    framing: "chunked",
  };
}
