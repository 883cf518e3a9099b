/**
 * Usage of a Response object: normalised like any other, in the form that the
 * Responses API has for it.
 *
 * @module
 */

import type { Usage } from "../../../domain/usage.ts";
import { isObject } from "../../json_value.ts";
import {
  findUsage,
  type NormalisedUsage,
  normaliseUsage,
  type UsageBounds,
} from "../../normalise_usage.ts";
import type { JsonObject } from "../../provider.ts";

/**
 * Finds and normalises the usage of a Response object and leaves it there in
 * OpenAI's form; an absurd one is taken out.
 */
export function repairUsage(
  response: JsonObject,
  bounds: UsageBounds,
): NormalisedUsage | undefined {
  const found = findUsage(response);
  const usage = found === undefined ? undefined : normaliseUsage(found.raw, bounds)?.usage;
  delete response.usage;
  if (found === undefined || usage === undefined) return undefined;
  const body = inResponsesForm(usage, found.raw);
  response.usage = body;
  return { usage, body };
}

/** Counts under the names of the Responses API; other fields of `raw` are kept. */
function inResponsesForm(usage: Usage, raw: JsonObject): JsonObject {
  // Servers that count under chat's names would be saying everything twice, and not the same.
  const {
    prompt_tokens: _prompt,
    completion_tokens: _completion,
    prompt_tokens_details: promptDetails,
    completion_tokens_details: completionDetails,
    ...others
  } = raw;
  return {
    ...others,
    input_tokens: usage.promptTokens,
    input_tokens_details: {
      ...detailsOf(raw.input_tokens_details, promptDetails),
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.completionTokens,
    output_tokens_details: {
      ...detailsOf(raw.output_tokens_details, completionDetails),
      reasoning_tokens: usage.reasoningTokens,
    },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}

function detailsOf(...details: readonly unknown[]): JsonObject | undefined {
  return details.find(isObject);
}
