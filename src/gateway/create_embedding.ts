/**
 * The embeddings capability.
 *
 * @module
 */

import type { Usage } from "../domain/usage.ts";
import { estimateTokensOfAll } from "../metering/estimate_tokens.ts";
import { embeddingUsageBody } from "../providers/embeddings/embedding_usage.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import { answerOf } from "../providers/serve.ts";
import type { AnswerKind, CallRequest } from "./call_request.ts";

/** Most tokenizers take about four characters of English for a token. */
const CHARACTERS_PER_TOKEN = 4;

/** What one embeddings request embeds: texts, or lists of token ids. */
type EmbeddingInputs = readonly string[] | readonly (readonly number[])[];

/** `POST /v1/embeddings`; `input` in the body is a list of texts or of token lists. */
export const embeddingAnswer: AnswerKind = {
  capability: "embeddings",
  facts: embeddingFacts,
  promptTokens: (body) => {
    const inputs = inputsOf(body);
    return isTexts(inputs)
      ? estimateTokensOfAll(inputs)
      : inputs.reduce((sum, { length }) => sum + length, 0);
  },
  usageView: (usage: Usage) => embeddingUsageBody(usage),
  invoke: answerOf("embeddings"),
};

function embeddingFacts({ body, bodyBytes }: CallRequest): RequestFacts {
  let total = 0;
  let longest = 0;
  for (const one of inputsOf(body)) {
    const tokens = typeof one === "string"
      ? Math.ceil(one.length / CHARACTERS_PER_TOKEN)
      : one.length;
    total += tokens;
    if (tokens > longest) longest = tokens;
  }
  return {
    capability: "embeddings",
    stream: false,
    tools: false,
    vision: false,
    jsonSchema: false,
    images: 0,
    promptTokensEstimate: total,
    contextTokensEstimate: longest,
    // A token is at least a byte of a text; an id takes two bytes with its comma.
    promptTokensBound: bodyBytes,
    maxOutputTokens: undefined,
    choices: 1,
  };
}

function inputsOf({ input }: Readonly<JsonObject>): EmbeddingInputs {
  return input as EmbeddingInputs;
}

function isTexts(inputs: EmbeddingInputs): inputs is readonly string[] {
  return typeof inputs[0] === "string";
}
