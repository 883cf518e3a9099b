/**
 * Rankings at an upstream that has Cohere's, Jina's or vLLM's form of them.
 *
 * @module
 */

import type { Answer } from "../../../dialects/base/answer.ts";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import { promptUsageBody, readPromptUsage } from "../../../dialects/openai/prompt_usage.ts";
import {
  asArray,
  asCount,
  asObject,
  isObject,
  nonEmptyString,
} from "../../../domain/json_value.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import type { Work } from "../../../domain/work.ts";

/** A document costs no more than so many units: what is beyond it is absurd. */
const MOST_UNITS_OF_DOCUMENT = 1_000;

/** What is sent: Cohere takes texts alone, and Jina gives all documents back unless told. */
export function rankingFields({ documents }: Readonly<JsonObject>): JsonObject {
  return {
    documents: asArray(documents).map((one) => isObject(one) && isOnlyText(one) ? one.text : one),
    return_documents: undefined,
  };
}

function isOnlyText(document: JsonObject): boolean {
  return typeof document.text === "string" && Object.keys(document).length === 1;
}

/**
 * What an upstream's answer says, in one form for all.
 *
 * @param asked The caller's request.
 * @returns `undefined` when it is no ranking of the documents.
 */
export function readRanking(
  body: JsonObject,
  asked: Readonly<JsonObject>,
  ids: Pick<CompletionIds, "answer">,
): Answer | undefined {
  const documents = asArray(asked.documents);
  const results = readResults(body.results, documents);
  if (results === undefined || results.length === 0) return undefined;
  const most = asCount(asked.top_n) ?? results.length;
  const { usage, rawUsage } = readUnits(body, documents.length);
  const { data: _data, ...rest } = body;
  return {
    body: {
      ...rest,
      id: nonEmptyString(body.id) ?? ids.answer("rerank"),
      object: "list",
      results: results.slice(0, most).map((one) => ({
        index: one.index,
        relevance_score: one.relevance_score,
        ...(asked.return_documents === true && { document: documentOf(documents[one.index]) }),
      })),
      meta: metaOf(body, usage),
      usage: usage === undefined ? undefined : promptUsageBody(usage, rawUsage),
    },
    usage,
    text: () => "",
  };
}

interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
}

/** The best first, each document at most once. */
function readResults(
  results: unknown,
  documents: readonly unknown[],
): readonly Ranked[] | undefined {
  if (!Array.isArray(results) || results.length > documents.length) return undefined;
  const seen = new Set<number>();
  const ranked: Ranked[] = [];
  for (const one of results) {
    if (!isObject(one)) return undefined;
    const { index } = one;
    const score = one.relevance_score ?? one.score;
    if (!Number.isInteger(index) || typeof score !== "number" || !Number.isFinite(score)) {
      return undefined;
    }
    const place = index as number;
    if (place < 0 || place >= documents.length || seen.has(place)) return undefined;
    seen.add(place);
    ranked.push({ index: place, relevance_score: score });
  }
  return ranked.sort((one, other) => other.relevance_score - one.relevance_score);
}

function documentOf(document: unknown): JsonObject {
  return isObject(document) ? document : { text: document };
}

/** Tokens, and the search units of Cohere's `meta.billed_units`. */
function readUnits(
  body: JsonObject,
  documents: number,
): { readonly usage: Work | undefined; readonly rawUsage?: JsonObject | undefined } {
  const meta = asObject(body.meta);
  const billed = asObject(meta?.billed_units);
  const { usage, rawUsage } = readPromptUsage(
    body.usage === undefined ? { usage: billed ?? meta?.tokens } : body,
    {},
  );
  const searchUnit = billed?.search_units;
  const isCount = Number.isSafeInteger(searchUnit) && (searchUnit as number) > 0 &&
    (searchUnit as number) <= documents * MOST_UNITS_OF_DOCUMENT;
  if (!isCount) return { usage, rawUsage };
  return { usage: { ...usage, searchUnit: searchUnit as number }, rawUsage };
}

function metaOf({ meta }: JsonObject, usage: Work | undefined): JsonObject {
  if (isObject(meta)) return meta;
  return usage === undefined ? {} : { billed_units: { input_tokens: usage.input ?? 0 } };
}
