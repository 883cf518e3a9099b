/**
 * Google's models in their own dialect.
 *
 * @module
 */

import { jsonReply, sseReply } from "../../../support/fake_upstream.ts";
import { type Counts, halves, type Heard, type Said, type Vendor } from "../neutral.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a server without types reads them
type Json = any;

const REASONS = { end: "STOP", length: "MAX_TOKENS", calls: "STOP", refused: "SAFETY" } as const;

export const gemini: Vendor = {
  name: "Gemini",
  provider: (origin) => `kind: gemini, base_url: "${origin}/v1beta", api_key: env:VENDOR_KEY`,
  route: "supports: { thinking: level }",
  counting: ["responses", "messages"],
  // Models of AI Studio give none.
  givesIds: false,
  isStream: ({ target }) => target.includes(":streamGenerateContent"),
  answer: (said) =>
    jsonReply(chunkOf(partsOf(said), { reason: REASONS[said.reason], counts: said.counts })),
  stream: (said) =>
    sseReply([
      ...piecesOf(said),
      chunkOf([{ text: "" }], { reason: REASONS[said.reason], counts: said.counts }),
    ]),
  cut: (said) => sseReply([...piecesOf(said), "cut!"]),

  fail({ kind, message }) {
    const [code, status] = {
      busy: [503, "UNAVAILABLE"],
      broken: [500, "INTERNAL"],
      caller: [400, "INVALID_ARGUMENT"],
    }[kind] as [number, string];
    return jsonReply({ error: { code, message, status } }, { status: code });
  },

  hear({ target, body }) {
    const { contents, systemInstruction: system, tools = [], generationConfig: how = {} } = JSON
      .parse(body);
    const parts: Json[] = contents.flatMap(({ parts }: Json) => parts);
    const data = (type: string) =>
      parts.filter(({ inlineData }) => inlineData?.mimeType === type)
        .map(({ inlineData }) => inlineData.data);
    return {
      model: /models\/([^:]+):/.exec(target)![1]!,
      system: (system?.parts ?? []).map(({ text }: Json) => text).join("\n"),
      texts: parts.map(({ text = "" }) => text).filter((text) => text !== ""),
      images: data("image/png"),
      documents: data("application/pdf"),
      tools: tools.flatMap(({ functionDeclarations }: Json) => functionDeclarations)
        .map(({ name, description, parametersJsonSchema: parameters }: Json) => ({
          name,
          description,
          parameters,
        })),
      calls: parts.filter(({ functionCall }) => functionCall !== undefined)
        .map(({ functionCall: { name, args } }) => ({ name, input: args })),
      results: parts.filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse: { response } }) => ({ text: response.output })),
      mostTokens: how.maxOutputTokens,
      effort: how.thinkingConfig?.thinkingLevel,
      schema: how.responseJsonSchema,
    } satisfies Heard;
  },
};

function piecesOf({ thoughts, text, calls }: Said): object[] {
  return [
    ...halves(thoughts).map((text) => chunkOf([{ text, thought: true }])),
    ...halves(text).map((text) => chunkOf([{ text }])),
    ...calls.map((_, at) => chunkOf([callPart(calls, at)])),
  ];
}

function partsOf({ thoughts, text, calls }: Said): object[] {
  return [
    ...(thoughts === "" ? [] : [{ text: thoughts, thought: true }]),
    ...(text === "" ? [] : [{ text }]),
    ...calls.map((_, at) => callPart(calls, at)),
  ];
}

/** Of calls beside each other only the first one is signed. */
function callPart(calls: Said["calls"], at: number): object {
  const { name, input: args } = calls[at]!;
  return { functionCall: { name, args }, ...(at === 0 && { thoughtSignature: "EuYBCuMB" }) };
}

function chunkOf(
  parts: readonly object[],
  end?: { readonly reason: string; readonly counts: Counts },
): object {
  return {
    candidates: [{
      content: { parts, role: "model" },
      index: 0,
      ...(end !== undefined && { finishReason: end.reason }),
    }],
    usageMetadata: end === undefined ? { trafficType: "ON_DEMAND" } : usageOf(end.counts),
    modelVersion: "upstream-model",
    responseId: "lq0baauyKeuV1PIP",
  };
}

/** Thoughts are beside the candidates, what was cached is inside the prompt. */
function usageOf({ input, cached, output, thoughts }: Counts) {
  return {
    promptTokenCount: input + cached,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output,
    thoughtsTokenCount: thoughts,
    totalTokenCount: input + cached + output + thoughts,
  };
}
