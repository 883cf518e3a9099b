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
  "/v1/completions": ({ prompt }) => ({
    id: "cmpl-1",
    object: "text_completion",
    created: 1_700_000_000,
    model: "theirs",
    choices: (Array.isArray(prompt) && typeof prompt[0] !== "number" ? prompt : [prompt])
      .map((_, index) => ({ index, text: " words", logprobs: null, finish_reason: "stop" })),
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  }),
  "/images/generations": ({ n, stream }) =>
    stream === true ? { type: "image_generation.completed", b64_json: "iVBORw0K" } : {
      created: 1_700_000_000,
      data: Array.from({ length: typeof n === "number" ? n : 1 }, () => ({
        b64_json: "iVBORw0K",
      })),
    },
  "/audio/speech": () => new Uint8Array([0xff, 0xfb, 0x90, 0x64, 0, 1, 2]),
  "/images/edits": ({ stream }) =>
    stream === true
      ? { type: "image_edit.completed", b64_json: "iVBORw0K" }
      : { created: 1_700_000_000, data: [{ b64_json: "iVBORw0K" }] },
  "/audio/transcriptions": () => ({ text: "Hello", usage: { type: "duration", seconds: 2 } }),
  "/audio/translations": () => ({ text: "Hello", duration: 2 }),
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
