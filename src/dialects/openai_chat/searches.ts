/**
 * Searches of the web that an upstream of chat makes for an answer: how many a request allows, and how
 * many the usage of an answer tells. Who tells none is not asked for any.
 *
 * @module
 */

import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { NormalisedUsage } from "../openai/normalise_usage.ts";

/** Searches of an answer whose request names no bound for them. */
const USUAL_SEARCHES = 10;
/** More than any answer makes. */
const MOST_SEARCHES = 1_000;

/**
 * How many a request allows at most: OpenAI's and Perplexity's `web_search_options`, OpenRouter's plugin
 * `web`, xAI's `search_parameters`.
 */
export function mostSearches(
  { web_search_options: options, plugins, search_parameters: parameters }: Readonly<JsonObject>,
): number {
  if (options === undefined && plugins === undefined && parameters === undefined) return 0;
  const isAsked = isObject(options) || asArray(plugins).some(isWebPlugin) ||
    (isObject(parameters) && parameters.mode !== "off");
  return isAsked ? USUAL_SEARCHES : 0;
}

function isWebPlugin(plugin: unknown): boolean {
  const { id, enabled } = asObject(plugin) ?? {};
  return id === "web" && enabled !== false;
}

/**
 * How many a usage tells: Perplexity's `num_search_queries`, the `server_tool_use` of OpenRouter and of
 * Anthropic's counts, xAI's `server_side_tool_usage_details`. An absurd count is none.
 */
export function searchesTold(
  { num_search_queries: queries, server_tool_use: served, server_side_tool_usage_details: sided }:
    Readonly<JsonObject>,
): number {
  if (queries === undefined && served === undefined && sided === undefined) return 0;
  const { web_search_calls: web, x_search_calls: posts } = asObject(sided) ?? {};
  const searches = Math.max(
    countOf(queries),
    countOf(asObject(served)?.web_search_requests),
    countOf(web) + countOf(posts),
  );
  return Math.min(searches, MOST_SEARCHES);
}

/** What was bought, with so many searches. */
export function withSearches(
  normalised: NormalisedUsage | undefined,
  search: number,
): NormalisedUsage | undefined {
  if (normalised === undefined || search === 0) return normalised;
  return { ...normalised, usage: { ...normalised.usage, search } };
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? value as number : 0;
}
