/**
 * Work in the form of the Responses API.
 *
 * @module
 */

import { detailsBody } from "../openai/usage_parts.ts";
import { completionTokens, promptTokens, type Work } from "../../domain/work.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";

/**
 * The object on the wire: counts under the names of the Responses API.
 *
 * @param raw An upstream's usage object, under its names or those of chat: its other
 * fields are kept.
 */
export function responseUsageBody(work: Work, raw: JsonObject = {}): JsonObject {
  const prompt = promptTokens(work);
  const completion = completionTokens(work);
  // What is counted under chat's names would be said twice, and not the same.
  const {
    prompt_tokens: _prompt,
    completion_tokens: _completion,
    prompt_tokens_details: promptDetails,
    completion_tokens_details: completionDetails,
    ...others
  } = raw;
  return {
    ...others,
    input_tokens: prompt,
    input_tokens_details: detailsBody(
      work,
      "prompt",
      detailsOf(raw.input_tokens_details, promptDetails),
    ),
    output_tokens: completion,
    output_tokens_details: detailsBody(
      work,
      "completion",
      detailsOf(raw.output_tokens_details, completionDetails),
    ),
    total_tokens: prompt + completion,
  };
}

function detailsOf(...details: readonly unknown[]): JsonObject | undefined {
  return details.find(isObject);
}
