/**
 * `POST /v1/rerank` and `/v2/rerank`: what the gateway itself reads of the body, of which everything
 * else is forwarded untouched, and the answer, which has what Cohere's and Jina's clients look for.
 *
 * @module
 */

import * as z from "zod";
import { boundedList } from "../../documents/bounded.ts";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** As Cohere's own limit. */
const MOST_DOCUMENTS = 10_000;

const document = z.lazy(() =>
  z.union([z.string(), z.looseObject({ text: z.string().optional() })])
);

/** The body of a ranking request. */
export const rerankRequest = z.lazy(() =>
  z.looseObject({
    model: modelField,
    query: z.union([z.string().min(1), z.looseObject({})]).describe("What is looked for"),
    documents: boundedList(document, { least: 1, most: MOST_DOCUMENTS }).describe(
      "Texts, or objects with a `text`",
    ),
    top_n: z.int().min(1).nullish().describe("How many results; all of them where absent"),
    return_documents: z.boolean().nullish().describe("Whether results have their document's text"),
    max_tokens_per_doc: z.int().min(1).nullish(),
    ...routingFields,
  })
);

/** The answer to a ranking request. */
export const rerankSchema = z.lazy(() =>
  z.looseObject({
    id: z.string(),
    object: z.literal("list"),
    model: z.string().describe("The logical model"),
    results: z.array(z.looseObject({
      index: z.int().min(0).describe("Place of the document in the request"),
      relevance_score: z.number(),
      document: z.looseObject({}).optional(),
    })).describe("The best first"),
    meta: z.looseObject({ billed_units: z.looseObject({}).optional() }).describe("As Cohere tells"),
    usage: z.looseObject({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
    ...answerFields,
  })
);
