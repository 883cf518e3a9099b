/**
 * Repairs an upstream's embeddings: one vector for each input, in their order,
 * in the format that was asked for.
 *
 * @module
 */

import { promptTokens } from "../../domain/work.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import {
  findUsage,
  normaliseUsage,
  type UsageBounds,
} from "../../dialects/openai/normalise_usage.ts";
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
  return { vectors: vectors as Vector[], ...usageOf(body, bounds) };
}

/**
 * Embeddings write nothing, and servers that count only the total are taken at
 * their word. No input is empty, so a count of nothing is none.
 */
function usageOf(
  body: JsonObject,
  bounds: UsageBounds,
): Pick<Embedded, "usage" | "rawUsage"> {
  const raw = findUsage(body)?.raw;
  if (raw === undefined) return { usage: undefined };
  const { completion_tokens: _written, completion_tokens_details: _details, ...rawUsage } = raw;
  const { prompt_tokens: prompt, total_tokens: total } = raw;
  const usage = normaliseUsage(
    { ...rawUsage, prompt_tokens: prompt || total, completion_tokens: 0 },
    bounds,
  )?.usage;
  return usage === undefined || promptTokens(usage) === 0
    ? { usage: undefined }
    : { usage, rawUsage };
}
