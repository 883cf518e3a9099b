/**
 * Upstreams that embed, scripted: every text comes out as one of two unit vectors, so that nothing is
 * lost in any format, at any length, or by being brought to the length of 1.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { jsonReply, type RecordedRequest, type Reply } from "../../../support/fake_upstream.ts";
import type { Failure } from "../neutral.ts";
import { gemini } from "../vendors/gemini.ts";
import { failOpenAi } from "../vendors/openai_chat.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a server without types reads them
type Json = any;

/** Numbers of a vector whose length nobody says. */
export const USUAL_DIMENSIONS = 4;

/** What an upstream has heard. */
export interface Embedding {
  readonly model: string;
  readonly inputs: readonly (string | readonly number[])[];
  readonly dimensions: number | undefined;
}

/** How an upstream answers, where not as it should. */
export interface Manners {
  /** Says nothing of tokens. */
  readonly noCounts?: true;
  /** Leaves the last vector out. */
  readonly tooFew?: true;
  /** Has one length alone. */
  readonly fixedLength?: true;
}

/** A vendor with embeddings. */
export interface EmbeddingVendor {
  readonly name: string;
  /** Lines of the catalogue file for the provider `vendor`, without its id. */
  provider(origin: string, accountFile: string): string;
  /** Whether it takes tokens in place of texts. */
  readonly takesTokens: boolean;
  /** Texts of one request. */
  readonly mostInputs: number;
  hear(request: RecordedRequest): Embedding;
  /** Answers what it has heard. */
  embed(heard: Embedding, request: RecordedRequest, manners: Manners): Reply;
  fail(failure: Failure): Reply;
}

/** The vector of an input. */
export function vectorOf(
  input: string | readonly number[],
  dimensions = USUAL_DIMENSIONS,
): readonly number[] {
  const first = typeof input === "string" ? input.codePointAt(0)! : input[0]!;
  return Array.from({ length: dimensions }, (_, at) => at === first % 2 ? 1 : 0);
}

/** Tokens of an input, as every vendor here counts them. */
export function tokensOf(input: string | readonly number[]): number {
  return input.length;
}

export function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(4 * vector.length);
  vector.forEach((value, index) => bytes.writeFloatLE(value, 4 * index));
  return bytes.toString("base64");
}

function vectorsOf({ inputs, dimensions }: Embedding, { tooFew, fixedLength }: Manners) {
  const given = tooFew === true ? inputs.slice(1) : inputs;
  return given.map((input) => vectorOf(input, fixedLength === true ? undefined : dimensions));
}

const sumOf = (inputs: Embedding["inputs"]) =>
  inputs.reduce((sum, input) => sum + tokensOf(input), 0);

const openai: EmbeddingVendor = {
  name: "OpenAI's embeddings",
  provider: (origin) => `kind: openai_compatible, base_url: "${origin}/v1", auth: none`,
  takesTokens: true,
  mostInputs: 512,
  hear({ body }) {
    const { model, input, dimensions } = JSON.parse(body);
    return { model, inputs: input, dimensions };
  },
  embed(heard, { body }, manners) {
    const isBase64 = JSON.parse(body).encoding_format === "base64";
    const data = vectorsOf(heard, manners).map((vector, index) => ({
      object: "embedding",
      index,
      embedding: isBase64 ? base64Of(vector) : vector,
    }));
    const tokens = sumOf(heard.inputs);
    return jsonReply({
      object: "list",
      // Some servers answer in the order in which they are done.
      data: data.reverse(),
      model: heard.model,
      ...(manners.noCounts !== true && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    });
  },
  fail: failOpenAi,
};

const azure: EmbeddingVendor = {
  ...openai,
  name: "Azure's embeddings",
  provider: (origin) => `kind: azure, base_url: "${origin}", api_key: env:VENDOR_KEY`,
};

/** What Bedrock offers in OpenAI's form is had by its address. */
const bedrock: EmbeddingVendor = {
  ...openai,
  name: "embeddings at Bedrock's address for OpenAI's clients",
  provider: (origin) =>
    `kind: openai_compatible, base_url: "${origin}/openai/v1", api_key: env:VENDOR_KEY`,
};

const studio: EmbeddingVendor = {
  name: "Gemini's embeddings",
  provider: (origin) => `kind: gemini, base_url: "${origin}/v1beta", api_key: env:VENDOR_KEY`,
  takesTokens: false,
  mostInputs: 100,
  hear({ target, body }) {
    const { requests } = JSON.parse(body);
    return {
      model: /models\/([^:]+):batchEmbedContents$/.exec(target)![1]!,
      inputs: requests.map(({ content }: Json) => content.parts[0].text),
      dimensions: requests[0].outputDimensionality,
    };
  },
  embed: (heard, _, manners) =>
    jsonReply({
      embeddings: vectorsOf(heard, manners).map((values) => ({ values })),
      ...(manners.noCounts !== true && {
        usageMetadata: { promptTokenCount: sumOf(heard.inputs) },
      }),
    }),
  fail: (failure) => gemini.fail(failure),
};

const vertex: EmbeddingVendor = {
  ...studio,
  name: "Vertex's embeddings",
  provider: (origin, file) =>
    `kind: vertex, base_url: "${origin}", project: shop-1, location: europe-west4, credentials: "file:${file}"`,
  mostInputs: 250,
  hear({ target, body }) {
    const { instances, parameters } = JSON.parse(body);
    return {
      model: /models\/([^:]+):predict$/.exec(target)![1]!,
      inputs: instances.map(({ content }: Json) => content),
      dimensions: parameters.outputDimensionality,
    };
  },
  embed: (heard, _, manners) =>
    jsonReply({
      predictions: vectorsOf(heard, manners).map((values, at) => ({
        embeddings: {
          values,
          ...(manners.noCounts !== true && {
            statistics: { token_count: tokensOf(heard.inputs[at]!), truncated: false },
          }),
        },
      })),
    }),
};

export const EMBEDDING_VENDORS: readonly EmbeddingVendor[] = [
  openai,
  azure,
  bedrock,
  studio,
  vertex,
];
