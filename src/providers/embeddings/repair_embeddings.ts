/**
 * Repairs an upstream's embeddings: one vector for each input, in their order,
 * in the format that was asked for.
 *
 * @module
 */

import { isObject } from "../json_value.ts";
import { findUsage, normaliseUsage, type UsageBounds } from "../normalise_usage.ts";
import type { JsonObject, ProviderAnswer } from "../provider.ts";
import { embeddingUsageBody } from "./embedding_usage.ts";
import { formatVector, type VectorFormat } from "./vector_format.ts";

/** What was asked. */
export interface EmbeddingQuestion {
  /** Number of inputs. */
  readonly count: number;
  readonly format: VectorFormat;
  readonly upstreamModel: string;
  readonly bounds: UsageBounds;
}

/**
 * A complete answer.
 *
 * @returns `undefined` when it is no list of as many vectors as inputs, all of one length.
 */
export function repairEmbeddings(
  body: JsonObject,
  { count, format, upstreamModel, bounds }: EmbeddingQuestion,
): ProviderAnswer | undefined {
  const { data } = body;
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const vectors = Array<readonly number[] | string | undefined>(count);
  for (const [position, item] of data.entries()) {
    if (!isObject(item)) return undefined;
    const index = Number.isInteger(item.index) ? item.index as number : position;
    if (index < 0 || index >= count || vectors[index] !== undefined) return undefined;
    vectors[index] = formatVector(item.embedding, format);
    if (vectors[index] === undefined) return undefined;
  }
  if (new Set(vectors.map((vector) => vector!.length)).size > 1) return undefined;
  return embeddingsAnswer(vectors as (readonly number[] | string)[], {
    upstreamModel,
    ...usageOf(body, bounds),
  });
}

/** The answer that carries some vectors. */
export function embeddingsAnswer(
  vectors: readonly (readonly number[] | string)[],
  { upstreamModel, usage, usageBody }: {
    readonly upstreamModel: string;
    readonly usage: ProviderAnswer["usage"];
    readonly usageBody: JsonObject | undefined;
  },
): ProviderAnswer {
  return {
    body: {
      object: "list",
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      model: upstreamModel,
      ...(usageBody === undefined ? {} : { usage: usageBody }),
    },
    usage,
    text: () => "",
  };
}

/** Embeddings write nothing, and servers that count only the total are taken at their word. */
function usageOf(body: JsonObject, bounds: UsageBounds): {
  readonly usage: ProviderAnswer["usage"];
  readonly usageBody: JsonObject | undefined;
} {
  const found = findUsage(body);
  const raw = found?.raw;
  if (raw === undefined) return { usage: undefined, usageBody: undefined };
  const { prompt_tokens: prompt, total_tokens: total } = raw;
  const normalised = normaliseUsage(
    { ...raw, prompt_tokens: prompt || total, completion_tokens: 0 },
    bounds,
  );
  return normalised === undefined
    ? { usage: undefined, usageBody: undefined }
    : { usage: normalised.usage, usageBody: embeddingUsageBody(normalised.usage, raw) };
}
