/**
 * What a request for speech needs of a route, and what its price depends on.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import { completionTokens, promptTokens, type Work } from "../../domain/work.ts";
import type { PromptParts, SizedBody } from "../base/dialect.ts";

const CHARACTERS_PER_TOKEN = 4;
const MOST_BYTES_PER_CHARACTER = 3;
/**
 * A second of speech has about 15 characters; at OpenAI's price for a minute, 0.015 by its price list,
 * it is 21 tokens. Slow speech of scripts with few characters takes several times as many.
 */
const TOKENS_OF_CHARACTER = { likely: 1.4, most: 8 };
const LEAST_TOKENS = 200;

/** The facts of a speech's body. */
export function speechFacts({ body }: SizedBody): RequestFacts {
  const characters = charactersOf(body.input);
  const length = lengthOf(body.input) + lengthOf(body.instructions);
  return {
    capability: "speech",
    stream: isEvents(body),
    tools: false,
    vision: false,
    jsonSchema: false,
    asked: { character: characters },
    expected: {
      likely: { outputAudio: Math.ceil(characters * TOKENS_OF_CHARACTER.likely) },
      most: { outputAudio: Math.ceil(characters * TOKENS_OF_CHARACTER.most) + LEAST_TOKENS },
    },
    isMedia: true,
    promptTokensEstimate: Math.ceil(length / CHARACTERS_PER_TOKEN),
    promptTokensBound: length * MOST_BYTES_PER_CHARACTER,
    maxOutputTokens: undefined,
    choices: 1,
  };
}

/** Whether the caller wants events, not the sound itself. */
export function isEvents({ stream_format: format }: Readonly<JsonObject>): boolean {
  return format === "sse";
}

/** As vendors count them: code points. */
export function charactersOf(text: unknown): number {
  if (typeof text !== "string") return 0;
  let count = 0;
  for (const _character of text) count++;
  return count;
}

/** What a model reads of it. */
export function speechPrompt({ input, instructions }: Readonly<JsonObject>): PromptParts {
  const texts = [input, instructions].filter((text) => typeof text === "string" && text !== "");
  return { texts: texts as string[], otherTokens: 0 };
}

/** As OpenAI tells it. */
export function speechUsageBody(work: Work): JsonObject {
  const input = promptTokens(work);
  const output = completionTokens(work);
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
