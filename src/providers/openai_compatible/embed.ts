/**
 * Embeddings at an upstream that speaks OpenAI's protocol.
 *
 * @module
 */

import { embedInBatches } from "../embeddings/embed_in_batches.ts";
import {
  type Embedded,
  embeddingsAnswer,
  requireDimensions,
  type VectorFormat,
} from "../embeddings/vector_format.ts";
import { repairEmbeddings } from "../embeddings/repair_embeddings.ts";
import type { ProviderCall } from "../contract/provider.ts";
import type { Answer } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { convertRequest } from "./chat/convert_request.ts";
import type { Endpoint } from "../upstream/endpoint.ts";
import { MAX_EMBEDDINGS_BYTES } from "../transport/limits.ts";

/**
 * Embeds every input, in as many requests as the route needs.
 *
 * @throws {UpstreamError}
 */
export async function embed(
  endpoint: Endpoint,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<Answer> {
  const embedded = await embedInBatches(
    { ...call, body: withoutNulls(call.body) },
    (batch) => embedOnce(endpoint, batch, signal),
  );
  return embeddingsAnswer(embedded, call.route.upstreamModel);
}

async function embedOnce(
  endpoint: Endpoint,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<Embedded> {
  const inputs = call.body.input as readonly unknown[];
  const sent = convertRequest(call, { stream: false, limitField: "max_tokens" });
  const text = JSON.stringify(sent);
  const { body, status } = await endpoint.withKeys(async (credential) => {
    const response = await endpoint.send({
      method: "POST",
      path: "/embeddings",
      body: text,
      credential,
    }, signal);
    const answer = await endpoint.jsonOf(response, {
      maxBytes: MAX_EMBEDDINGS_BYTES,
      room: call.room,
    });
    return { body: answer, status: response.status };
  });
  const { contextTokens } = call.route.supports;
  const embedded = repairEmbeddings(body, {
    count: inputs.length,
    format: (call.body.encoding_format ?? "float") as VectorFormat,
    // Each input may fill the context.
    bounds: contextTokens === undefined ? {} : { contextTokens: contextTokens * inputs.length },
  });
  if (embedded === undefined) {
    throw new UpstreamError("broken", "The upstream's answer is no embedding of every input", {
      status,
    });
  }
  requireDimensions(embedded.vectors[0]!, sent.dimensions);
  return embedded;
}

/** Callers may send null for what they leave out; many servers refuse it. */
function withoutNulls(body: Readonly<JsonObject>): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
