/**
 * Embeddings at an upstream that speaks OpenAI's protocol.
 *
 * @module
 */

import { embedInBatches } from "../embeddings/embed_in_batches.ts";
import { repairEmbeddings } from "../embeddings/repair_embeddings.ts";
import type { VectorFormat } from "../embeddings/vector_format.ts";
import { type ProviderAnswer, type ProviderCall, UpstreamError } from "../provider.ts";
import { convertRequest } from "./convert_request.ts";
import type { Endpoint } from "./endpoint.ts";
import { errorInBand, isErrorObject } from "./map_error.ts";

/**
 * Embeds every input, in as many requests as the route needs.
 *
 * @throws {UpstreamError}
 */
export function embed(
  endpoint: Endpoint,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  return embedInBatches(call, (batch) => embedOnce(endpoint, batch, signal));
}

async function embedOnce(
  endpoint: Endpoint,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const inputs = call.body.input as readonly unknown[];
  const response = await endpoint.send({
    method: "POST",
    path: "/embeddings",
    body: JSON.stringify(convertRequest(call, { stream: false, limitField: "max_tokens" })),
  }, signal);
  const body = await endpoint.jsonOf(response);
  if (isErrorObject(body)) throw errorInBand(body, endpoint.concealed);
  const { contextTokens } = call.route.supports;
  const answer = repairEmbeddings(body, {
    count: inputs.length,
    format: (call.body.encoding_format ?? "float") as VectorFormat,
    upstreamModel: call.route.upstreamModel,
    // Each input may fill the context.
    bounds: contextTokens === undefined ? {} : { contextTokens: contextTokens * inputs.length },
  });
  if (answer === undefined) {
    throw new UpstreamError("broken", "The upstream's answer is no embedding of every input", {
      status: response.status,
    });
  }
  return answer;
}
