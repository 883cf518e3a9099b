/**
 * How many tokens a prompt of texts and images is, before anybody counts.
 *
 * @module
 */

import type { RequestFacts } from "../routing/route_request.ts";

/** Most tokenizers take about four bytes of English for a token. */
const BYTES_PER_TOKEN = 4;
/**
 * Prompt tokens an image is taken to count for: what one large image takes with
 * most models. Some count more (OpenAI's smallest ones several times that); what
 * then goes beyond the hold is the operator's loss.
 */
const TOKENS_PER_IMAGE = 3_000;

/** The likely and the largest number of tokens of so many bytes of text and so many images. */
export function promptSize(
  textBytes: number,
  images: number,
): Pick<RequestFacts, "promptTokensEstimate" | "promptTokensBound"> {
  const imageTokens = images * TOKENS_PER_IMAGE;
  return {
    promptTokensEstimate: Math.ceil(textBytes / BYTES_PER_TOKEN) + imageTokens,
    promptTokensBound: textBytes + imageTokens,
  };
}
