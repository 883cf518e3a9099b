/**
 * Vectors and their usage as an answer of the embeddings endpoint.
 *
 * @module
 */

import type { Work } from "../../domain/work.ts";
import type { Answer } from "../../dialects/base/answer.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { embeddingUsageBody } from "../../dialects/openai_embeddings/facts.ts";
import type { Vector } from "./vector_format.ts";

/** What a model made of some inputs. */
export interface Embedded {
  /** One for each input, in their order, all of one length. */
  readonly vectors: readonly Vector[];
  /** `undefined` when nothing was reported, or absurd counts. */
  readonly usage: Work | undefined;
  /** The upstream's own usage object; what vendors add to it is kept. */
  readonly rawUsage?: JsonObject | undefined;
}

/** The answer that carries them; `upstreamModel` is the model's name there. */
export function embeddingsAnswer(
  { vectors, usage, rawUsage }: Embedded,
  upstreamModel: string,
): Answer {
  return {
    body: {
      object: "list",
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      model: upstreamModel,
      ...(usage === undefined ? {} : { usage: embeddingUsageBody(usage, rawUsage) }),
    },
    usage,
    text: () => "",
  };
}
