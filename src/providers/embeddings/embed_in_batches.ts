/**
 * Splits more inputs than an upstream takes at once, and puts what it makes of
 * them together again.
 *
 * @module
 */

import { addWork, NO_WORK, type Work } from "../../domain/work.ts";
import type { ProviderCall } from "../contract/provider.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Embedded, Vector } from "./vector_format.ts";

/**
 * Where the route does not say. What an upstream answers is read up to 64 MiB
 * (`MAX_EMBEDDINGS_BYTES`): 512 vectors of 5,000 numbers with all their digits.
 */
const DEFAULT_MAX_INPUTS = 512;

/**
 * Embeds all inputs of a call, batch after batch. What one of them throws is the
 * whole call's failure: nobody is told of a part, and nobody pays for one.
 *
 * @throws {UpstreamError} `broken` when the vectors of two batches differ in length.
 */
export async function embedInBatches(
  call: ProviderCall,
  embed: (call: ProviderCall) => Promise<Embedded>,
): Promise<Embedded> {
  const inputs = call.body.input as readonly unknown[];
  const limit = call.route.supports.maxInputs ?? DEFAULT_MAX_INPUTS;
  if (inputs.length <= limit) return await embed(call);
  const vectors: Vector[] = [];
  let usage: Work | undefined = NO_WORK;
  for (let start = 0; start < inputs.length; start += limit) {
    const input = inputs.slice(start, start + limit);
    const batch = await embed({ ...call, body: { ...call.body, input } });
    vectors.push(...batch.vectors);
    // All come in the format that the call asks for, so equal texts are equally many numbers.
    if (vectors[start]!.length !== vectors[0]!.length) {
      throw new UpstreamError("broken", "The upstream's batches differ in their vectors' length");
    }
    usage = sumOf(usage, batch.usage);
  }
  return { vectors, usage };
}

/** `undefined` when either reported nothing: a part would pass for the whole. */
function sumOf(one: Work | undefined, other: Work | undefined): Work | undefined {
  if (one === undefined || other === undefined) return undefined;
  return addWork(one, other);
}
