/**
 * What an upstream answers at paths that are no chat and no embeddings, where its script has nothing
 * else to say.
 *
 * @module
 */

import { judgement } from "../moderation_answers.ts";

/** A request's fields; of a form none. */
export type Fields = Readonly<Record<string, unknown>>;

/** Answers in JSON, by the end of the path. */
export const OTHER_ANSWERS: Readonly<Record<string, (fields: Fields) => object>> = {
  "/moderations": ({ input }) =>
    judgement(Array.isArray(input) && typeof input[0] === "string" ? input.length : 1),
  "/rerank": ({ documents }) => ({
    id: "ranking-1",
    results: Array.isArray(documents)
      ? documents.map((_, index) => ({ index, relevance_score: 1 / (index + 1) }))
      : [],
    meta: { billed_units: { search_units: 1 } },
  }),
};

/** The answer of a path; `undefined` where it is another's. */
export function otherAnswer(path: string, fields: Fields): object | undefined {
  const [, answer] = Object.entries(OTHER_ANSWERS).find(([end]) => path.endsWith(end)) ?? [];
  return answer?.(fields);
}
