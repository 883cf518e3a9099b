/**
 * What an embeddings request needs of a route, and what its price depends on.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import type { PromptParts, SizedBody } from "../base/dialect.ts";

/** Most tokenizers take about four characters of English for a token. */
const CHARACTERS_PER_TOKEN = 4;

/** What one request embeds: texts, or lists of token ids. */
type EmbeddingInputs = readonly string[] | readonly (readonly number[])[];

/** The facts of a body whose `input` is a list of texts or of token lists. */
export function embeddingFacts({ body, bodyBytes }: SizedBody): RequestFacts {
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
    promptTokensEstimate: total,
    contextTokensEstimate: longest,
    // A token is at least a byte of a text; an id takes two bytes with its comma.
    promptTokensBound: bodyBytes,
    maxOutputTokens: undefined,
    choices: 1,
  };
}

/** What a model reads: texts, or tokens that are counted already. */
export function embeddingPrompt(body: Readonly<JsonObject>): PromptParts {
  const inputs = inputsOf(body);
  return isTexts(inputs)
    ? { texts: inputs, otherTokens: 0 }
    : { texts: [], otherTokens: inputs.reduce((sum, { length }) => sum + length, 0) };
}

function inputsOf({ input }: Readonly<JsonObject>): EmbeddingInputs {
  return input as EmbeddingInputs;
}

function isTexts(inputs: EmbeddingInputs): inputs is readonly string[] {
  return typeof inputs[0] === "string";
}
