/**
 * Splits more inputs than an upstream takes at once, and puts the answers
 * together again.
 *
 * @module
 */

import type { Usage } from "../../domain/usage.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import type { JsonObject, ProviderAnswer, ProviderCall } from "../provider.ts";
import { embeddingUsageBody } from "./embedding_usage.ts";

/**
 * Embeds all inputs of a call, batch after batch. What one of them throws is the
 * whole call's failure.
 */
export async function embedInBatches(
  call: ProviderCall,
  embed: (call: ProviderCall) => Promise<ProviderAnswer>,
): Promise<ProviderAnswer> {
  const inputs = call.body.input as readonly unknown[];
  const limit = call.route.supports.maxInputs ?? Infinity;
  if (inputs.length <= limit) return await embed(call);
  const data: JsonObject[] = [];
  const usages: (Usage | undefined)[] = [];
  let first: ProviderAnswer | undefined;
  for (let start = 0; start < inputs.length; start += limit) {
    const input = inputs.slice(start, start + limit);
    const answer = await embed({ ...call, body: { ...call.body, input } });
    first ??= answer;
    usages.push(answer.usage);
    for (const item of answer.body.data as JsonObject[]) {
      data.push({ ...item, index: data.length });
    }
  }
  const usage = sumUsage(usages);
  const { usage: _ofFirst, ...rest } = first!.body;
  return {
    body: {
      ...rest,
      data,
      ...(usage === undefined ? {} : { usage: embeddingUsageBody(usage) }),
    },
    usage,
    text: () => "",
  };
}

/** `undefined` when any batch reported nothing: a part would pass for the whole. */
function sumUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  let sum: Usage = NO_USAGE;
  for (const usage of usages) {
    if (usage === undefined) return undefined;
    sum = { ...sum, promptTokens: sum.promptTokens + usage.promptTokens };
  }
  return sum;
}
