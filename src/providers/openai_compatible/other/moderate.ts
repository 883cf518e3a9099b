/**
 * Moderations at an upstream that speaks OpenAI's protocol.
 *
 * @module
 */

import type { Answer } from "../../../dialects/base/answer.ts";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import { promptUsageBody, readPromptUsage } from "../../../dialects/openai/prompt_usage.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";

/**
 * What an upstream's answer says.
 *
 * @param sent The request that it answers.
 * @returns `undefined` when it does not judge each of its inputs.
 */
export function readModeration(
  body: JsonObject,
  sent: Readonly<JsonObject>,
  ids: Pick<CompletionIds, "answer">,
): Answer | undefined {
  const { results } = body;
  if (!Array.isArray(results) || results.length !== countOf(sent.input)) return undefined;
  if (!results.every((one) => isObject(one) && isJudgement(one))) return undefined;
  // Every text may fill the context, and nobody tells how many of them a model reads at once.
  const { usage, rawUsage } = readPromptUsage(body, {});
  return {
    body: {
      ...body,
      id: nonEmptyString(body.id) ?? ids.answer("modr"),
      results: results.map(judged),
      ...(usage === undefined ? { usage: undefined } : { usage: promptUsageBody(usage, rawUsage) }),
    },
    usage,
    text: () => "",
  };
}

/** A list of texts is judged text by text, a list of parts as one input. */
function countOf(input: unknown): number {
  return Array.isArray(input) && typeof input[0] === "string" ? input.length : 1;
}

function isJudgement({ flagged, categories, category_scores: scores }: JsonObject): boolean {
  return typeof flagged === "boolean" || isObject(categories) || isObject(scores);
}

/** Mistral has no word of its own for what its categories say. */
function judged(one: JsonObject): JsonObject {
  const { categories: given, category_scores: scores } = one;
  const categories = isObject(given) ? given : {};
  const flagged = typeof one.flagged === "boolean"
    ? one.flagged
    : Object.values(categories).includes(true);
  return { ...one, flagged, categories, category_scores: isObject(scores) ? scores : {} };
}
