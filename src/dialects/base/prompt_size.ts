/**
 * How many tokens a prompt is, before anybody counts: its text by bytes, and
 * everything else by its kind.
 *
 * @module
 */

import type { RequestFacts } from "../../domain/request_facts.ts";
import type { MediaSize } from "./media_size.ts";

/** Most tokenizers take about four bytes of English for a token. */
const BYTES_PER_TOKEN = 4;

/** The parts of a prompt that are no text, added up. */
export interface PromptMedia {
  readonly images: number;
  readonly dataLength: number;
  readonly estimate: number;
  readonly bound: number;
}

/** Most prompts: none. */
export const NO_MEDIA: PromptMedia = Object.freeze({
  images: 0,
  dataLength: 0,
  estimate: 0,
  bound: 0,
});

/** With one more part. */
export function withMedia(sum: PromptMedia, one: MediaSize | undefined): PromptMedia {
  return one === undefined ? sum : {
    images: sum.images + (one.isImage ? 1 : 0),
    dataLength: sum.dataLength + one.dataLength,
    estimate: sum.estimate + one.estimate,
    bound: sum.bound + one.bound,
  };
}

/** The likely and the largest number of tokens of a body of so many bytes. */
export function promptSize(
  bodyBytes: number,
  { dataLength, estimate, bound }: PromptMedia,
): Pick<RequestFacts, "promptTokensEstimate" | "promptTokensBound"> {
  const textBytes = Math.max(0, bodyBytes - dataLength);
  return {
    promptTokensEstimate: Math.ceil(textBytes / BYTES_PER_TOKEN) + estimate,
    promptTokensBound: textBytes + bound,
  };
}
