/**
 * Embeddings of Google's models, at AI Studio.
 *
 * @module
 */

import { readUsage } from "../../dialects/gemini/usage.ts";
import type { Answer } from "../../dialects/base/answer.ts";
import { asArray, asCount, asObject, type JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { applyRules, dropFields } from "../contract/body_rules.ts";
import type { ProviderCall } from "../contract/provider.ts";
import { embedInBatches } from "../embeddings/embed_in_batches.ts";
import {
  type Embedded,
  embeddingsAnswer,
  requireDimensions,
  type VectorFormat,
} from "../embeddings/vector_format.ts";
import { MAX_EMBEDDINGS_BYTES } from "../transport/limits.ts";
import type { Endpoint } from "../upstream/endpoint.ts";
import { unitVector } from "./unit_vector.ts";

/** "at most 100 requests can be in one batch". */
const MOST_INPUTS = 100;

/** What is different about an address. */
export interface EmbedForm {
  /** Inputs of one request. */
  mostInputs(model: string): number;
  path(model: string): string;
  body(texts: readonly string[], call: ProviderCall): JsonObject;
  /** The vectors in an answer, each a list of numbers if it is one. */
  vectorsIn(answer: JsonObject): readonly unknown[];
  /** What it says of its use, in the words of {@linkcode readUsage}. */
  usageIn(answer: JsonObject): JsonObject | undefined;
}

/** AI Studio's. */
export function studioForm(pathOf: (model: string) => string): EmbedForm {
  return {
    mostInputs: () => MOST_INPUTS,
    path: (model) => `${pathOf(model)}:batchEmbedContents`,
    body: (texts, { route, body }) => ({
      requests: texts.map((text) => {
        const request: JsonObject = {
          content: { parts: [{ text }] },
          ...dimensionsOf(body, "outputDimensionality"),
        };
        applyRules(request, route.body);
        dropFields(request, route.body, []);
        request.model = pathOf(route.upstreamModel).slice(1);
        return request;
      }),
    }),
    vectorsIn: ({ embeddings }) => asArray(embeddings).map((one) => asObject(one)?.values),
    usageIn: ({ usageMetadata }) => asObject(usageMetadata),
  };
}

/** The length that is asked for, under the upstream's name. */
export function dimensionsOf({ dimensions }: Readonly<JsonObject>, name: string): JsonObject {
  const asked = asCount(dimensions);
  return asked === undefined ? {} : { [name]: asked };
}

/**
 * Embeds every input, in as many requests as it takes.
 *
 * @throws {UpstreamError}
 */
export async function embed(
  { endpoint, form }: { readonly endpoint: Endpoint; readonly form: EmbedForm },
  call: ProviderCall,
  signal: AbortSignal,
): Promise<Answer> {
  const { route } = call;
  const most = form.mostInputs(route.upstreamModel);
  const maxInputs = Math.min(route.supports.maxInputs ?? most, most);
  const embedded = await embedInBatches(
    { ...call, route: { ...route, supports: { ...route.supports, maxInputs } } },
    (batch) => embedOnce({ endpoint, form }, batch, signal),
  );
  return embeddingsAnswer(embedded, route.upstreamModel);
}

async function embedOnce(
  { endpoint, form }: { readonly endpoint: Endpoint; readonly form: EmbedForm },
  call: ProviderCall,
  signal: AbortSignal,
): Promise<Embedded> {
  const texts = textsOf(call.body.input);
  const { upstreamModel, supports } = call.route;
  const body = JSON.stringify(form.body(texts, call));
  const answer = await endpoint.withKeys(async (credential) => {
    const path = form.path(upstreamModel);
    const response = await endpoint.send({ method: "POST", path, body, credential }, signal);
    return await endpoint.jsonOf(response, { maxBytes: MAX_EMBEDDINGS_BYTES, room: call.room });
  });
  const format = (call.body.encoding_format ?? "float") as VectorFormat;
  const isShortened = asCount(call.body.dimensions) !== undefined;
  const vectors = form.vectorsIn(answer).map((vector) =>
    unitVector(vector, { format, isShortened })
  );
  const [first] = vectors;
  if (vectors.length !== texts.length || first === undefined || !vectors.every(isOne)) {
    throw new UpstreamError("broken", "The upstream's answer is no embedding of every input");
  }
  requireDimensions(first, call.body.dimensions);
  const usage = form.usageIn(answer);
  const { contextTokens } = supports;
  // Each input may fill the context.
  const most = contextTokens === undefined ? undefined : contextTokens * texts.length;
  const work = usage && readUsage(usage, most);
  // No input is empty: a count of nothing is none.
  return { vectors, usage: (work?.input ?? 0) > 0 ? { input: work!.input! } : undefined };
}

function textsOf(input: unknown): readonly string[] {
  const texts = asArray(input);
  if (texts.every((one) => typeof one === "string")) return texts as readonly string[];
  const message = "Cannot embed token ids with this model: send 'input' as text";
  throw new UpstreamError("caller", message, {
    status: 400,
    code: "invalid_value",
    param: "input",
    publicMessage: message,
  });
}

function isOne<T>(value: T | undefined): value is T {
  return value !== undefined;
}
