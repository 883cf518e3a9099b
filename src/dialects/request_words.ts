/**
 * How requests of each capability are written, for who only knows that.
 *
 * @module
 */

import type { Capability } from "../domain/capabilities.ts";
import type { Dialect, RequestWords } from "./base/dialect.ts";
import { DIALECTS } from "./registry.ts";

/** Of videos, which are asked for in one way alone. */
const VIDEO_WORDS: RequestWords = {
  path: "/videos",
  limitFields: [],
  fields: { prompt: "prompt", image: "input_reference" },
};

const WORDS: ReadonlyMap<Capability, RequestWords> = new Map(
  Object.values<Dialect>(DIALECTS).map(({ capability, words }) => [capability, words]),
);

/** Of the dialect that has it. */
export function wordsOf(capability: Capability): RequestWords {
  return WORDS.get(capability) ?? VIDEO_WORDS;
}
