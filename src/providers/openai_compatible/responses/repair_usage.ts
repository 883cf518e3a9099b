/**
 * Usage of a Response object: normalised like any other.
 *
 * @module
 */

import {
  findUsage,
  type NormalisedUsage,
  normaliseUsage,
  type UsageBounds,
} from "../../../dialects/openai/normalise_usage.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { responseUsageBody } from "../../../dialects/openai_responses/response_head.ts";

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
  const body = responseUsageBody(usage, found.raw);
  response.usage = body;
  return { usage, body };
}
