/**
 * `hash-embed-1`: embeddings without a model and without a network. Texts that
 * share words, forms of words and pairs of words come out close to each other;
 * what it has no word in common with, it knows nothing of.
 *
 * @module
 */

import type { ChatFaults } from "../../../domain/chat_faults.ts";
import type { Clock } from "../../../domain/clock.ts";
import { countTokens } from "../../../domain/tokenizer.ts";
import type { Usage } from "../../../domain/usage.ts";
import { NO_USAGE } from "../../../domain/usage.ts";
import { embeddingsAnswer } from "../../embeddings/repair_embeddings.ts";
import { embeddingUsageBody } from "../../embeddings/embedding_usage.ts";
import { encodeVector } from "../../embeddings/vector_format.ts";
import { type ProviderAnswer, type ProviderCall, UpstreamError } from "../../provider.ts";
import type { BuiltinCall } from "../chat_model.ts";
import { throwIfAborted } from "../pace.ts";
import { Patience } from "../patience.ts";
import { faultOfStatus, sufferFaults } from "../suffer_faults.ts";
import { hashVector } from "./hash_vector.ts";

const LEAST_DIMENSIONS = 64;
const MOST_DIMENSIONS = 1_536;

/**
 * Embeds every input of a call.
 *
 * @throws {UpstreamError} `caller` for dimensions that there are not; what its faults say.
 */
export async function hashEmbed(builtinCall: BuiltinCall, clock: Clock): Promise<ProviderAnswer> {
  const { call, faults, signal } = builtinCall;
  throwIfAborted(signal);
  if (faults.status !== undefined) throw faultOfStatus(faults.status, clock);
  const { usage, answer } = embedAll(call, faults);
  const patience = new Patience(builtinCall, { clock, stream: false });
  await sufferFaults(faults, { patience, tokens: usage.promptTokens });
  return answer;
}

function embedAll(
  { body, route }: ProviderCall,
  { noUsage }: ChatFaults,
): { readonly usage: Usage; readonly answer: ProviderAnswer } {
  const inputs = body.input as readonly (string | readonly number[])[];
  const dimensions = dimensionsOf(body.dimensions);
  const usage: Usage = {
    ...NO_USAGE,
    promptTokens: inputs.reduce<number>((sum, input) => sum + tokensOf(input), 0),
  };
  const vectors = inputs.map((input) => {
    const vector = hashVector(input, dimensions);
    return body.encoding_format === "base64" ? encodeVector(vector) : [...vector];
  });
  const answer = embeddingsAnswer(vectors, {
    upstreamModel: route.upstreamModel,
    usage: noUsage ? undefined : usage,
    usageBody: noUsage ? undefined : embeddingUsageBody(usage),
  });
  return { usage, answer };
}

function tokensOf(input: string | readonly number[]): number {
  return typeof input === "string" ? countTokens(input) : input.length;
}

function dimensionsOf(asked: unknown): number {
  if (asked === undefined || asked === null) return MOST_DIMENSIONS;
  const isOffered = Number.isInteger(asked) && (asked as number) >= LEAST_DIMENSIONS &&
    (asked as number) <= MOST_DIMENSIONS;
  if (isOffered) return asked as number;
  const message =
    `'dimensions' must be a whole number from ${LEAST_DIMENSIONS} to ${MOST_DIMENSIONS}`;
  throw new UpstreamError("caller", message, {
    status: 400,
    code: "invalid_value",
    param: "dimensions",
    publicMessage: message,
  });
}
