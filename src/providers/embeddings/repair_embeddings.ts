/**
 * Repairs an upstream's embeddings: one vector for each input, in their order,
 * in the format that was asked for.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import type { UsageBounds } from "../../dialects/openai/normalise_usage.ts";
import { readPromptUsage } from "../../dialects/openai/prompt_usage.ts";
import { type Embedded, formatVector, type Vector, type VectorFormat } from "./vector_format.ts";

/** What was asked. */
export interface EmbeddingQuestion {
  /** Number of inputs. */
  readonly count: number;
  readonly format: VectorFormat;
  readonly bounds: UsageBounds;
}

/**
 * What an upstream's answer says.
 *
 * @returns `undefined` when it is no list of as many vectors as inputs, all of one length.
 */
export function repairEmbeddings(
  body: JsonObject,
  { count, format, bounds }: EmbeddingQuestion,
): Embedded | undefined {
  const { data } = body;
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const vectors = Array<Vector | undefined>(count);
  for (const [position, item] of data.entries()) {
    if (!isObject(item)) return undefined;
    const index = Number.isInteger(item.index) ? item.index as number : position;
    if (index < 0 || index >= count || vectors[index] !== undefined) return undefined;
    vectors[index] = formatVector(item.embedding, format);
    if (vectors[index] === undefined) return undefined;
  }
  if (new Set(vectors.map((vector) => vector!.length)).size > 1) return undefined;
  return { vectors: vectors as Vector[], ...readPromptUsage(body, bounds) };
}
