/**
 * Searches of Google that a model makes for its answer. Their prices stand beside the tokens': 3.x models
 * are billed by the query, older ones by the prompt that was searched for at all (Google's price list,
 * "Grounding with Google Search").
 *
 * @module
 */

import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { Work } from "../../domain/work.ts";

/** More than any answer makes. */
const MOST_SEARCHES = 1_000;
const BY_PROMPT = /gemini-[12](?:[.-]|$)|gemini-pro/;
const TOOLS = [
  "googleSearch",
  "google_search",
  "googleSearchRetrieval",
  "google_search_retrieval",
  "enterpriseWebSearch",
];

/** How many are billed, by an answer or a part of one, and the model's name at the upstream. */
export function searchesIn({ candidates }: Readonly<JsonObject>, model: string): number {
  let queries = 0;
  for (const candidate of asArray(candidates)) {
    const metadata = asObject(asObject(candidate)?.groundingMetadata);
    queries += asArray(metadata?.webSearchQueries).filter((query) => query !== "").length;
  }
  const isByPrompt = BY_PROMPT.test(model);
  return Math.min(queries, isByPrompt ? 1 : MOST_SEARCHES);
}

/** What was bought, with so many searches. */
export function withSearches(work: Work, search: number): Work {
  return search === 0 ? work : { ...work, search };
}

/** Whether a list of tools has one that searches. */
export function offersSearch(tools: unknown): boolean {
  return asArray(tools).some((tool) => isObject(tool) && TOOLS.some((name) => name in tool));
}
