/**
 * What a request to have sound written down needs of a route, and what its price depends on.
 *
 * @module
 */

import type { Capability } from "../../domain/capabilities.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import { completionTokens, promptTokens, type Work } from "../../domain/work.ts";
import { type SpooledFacts, SpooledFile } from "../../files/spooled_file.ts";
import type { PromptParts } from "../base/dialect.ts";

const CHARACTERS_PER_TOKEN = 4;
const MOST_BYTES_PER_CHARACTER = 3;
/** Ten tokens a second at OpenAI (its guide to realtime costs), 32 at Google. */
const TOKENS_OF_SECOND = { likely: 10, most: 32 };
/** Speech has two to three words a second. */
const WRITTEN_TOKENS_OF_SECOND = { likely: 4, most: 12 };
const LEAST_WRITTEN_TOKENS = 64;
/** Where the container does not say: 128 kbit/s, and 32. */
const BYTES_OF_SECOND = { likely: 16_000, most: 4_000 };

/** A file of sound that came with a request, and how long it plays. */
export class HeardFile extends SpooledFile {
  /** By its container; `undefined` where that does not tell. */
  readonly seconds: number | undefined;

  constructor(file: SpooledFacts, seconds: number | undefined) {
    super(file);
    this.seconds = seconds;
  }
}

/** The facts of a form. */
export function transcriptionFacts(
  { file, prompt }: Readonly<JsonObject>,
  { capability, stream }: { readonly capability: Capability; readonly stream: boolean },
): RequestFacts {
  const length = typeof prompt === "string" ? prompt.length : 0;
  const expected = (of: "likely" | "most"): Work => {
    const seconds = secondsOf(file, of);
    const written = seconds * WRITTEN_TOKENS_OF_SECOND[of];
    return {
      audioSecond: seconds,
      inputAudio: seconds * TOKENS_OF_SECOND[of],
      output: of === "most" ? written + LEAST_WRITTEN_TOKENS : written,
    };
  };
  return {
    capability,
    stream,
    tools: false,
    vision: false,
    jsonSchema: false,
    expected: { likely: expected("likely"), most: expected("most") },
    isMedia: true,
    promptTokensEstimate: Math.ceil(length / CHARACTERS_PER_TOKEN),
    promptTokensBound: length * MOST_BYTES_PER_CHARACTER,
    maxOutputTokens: undefined,
    choices: 1,
  };
}

function secondsOf(file: unknown, of: "likely" | "most"): number {
  if (!(file instanceof SpooledFile)) return 0;
  const told = file instanceof HeardFile ? file.seconds : undefined;
  return Math.ceil(told ?? file.bytes / BYTES_OF_SECOND[of]);
}

/** What a model reads of it, the sound aside: that is expected. */
export function transcriptionPrompt({ prompt }: Readonly<JsonObject>): PromptParts {
  return { texts: typeof prompt === "string" && prompt !== "" ? [prompt] : [], otherTokens: 0 };
}

/** As OpenAI tells it: tokens where any are counted, else seconds. */
export function transcriptionUsageBody(work: Work): JsonObject {
  const input = promptTokens(work);
  const output = completionTokens(work);
  if (input + output === 0) return { type: "duration", seconds: work.audioSecond ?? 0 };
  const { inputAudio = 0 } = work;
  return {
    type: "tokens",
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_token_details: { audio_tokens: inputAudio, text_tokens: input - inputAudio },
  };
}
