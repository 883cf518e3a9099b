import assert from "node:assert/strict";
import { NO_USAGE } from "../../../src/domain/usage.ts";
import { embedInBatches } from "../../../src/providers/embeddings/embed_in_batches.ts";
import { embeddingUsageBody } from "../../../src/providers/embeddings/embedding_usage.ts";
import { embeddingsAnswer } from "../../../src/providers/embeddings/repair_embeddings.ts";
import {
  type JsonObject,
  type ProviderAnswer,
  type ProviderCall,
  UpstreamError,
} from "../../../src/providers/provider.ts";
import { chatRoute } from "../../support/provider_parts.ts";

/** A call with these inputs to a route that takes so many at once. */
function callWith(input: readonly unknown[], maxInputs?: number): ProviderCall {
  return {
    route: chatRoute({ supports: maxInputs === undefined ? {} : { maxInputs } }),
    body: { model: "model", input, dimensions: 2, user: "me" },
    outputTokensCap: undefined,
  };
}

/** Embeds an input `n` as `[n, 0]` for `n` tokens, and notes each batch. */
function counting(batches: unknown[], reports: (batch: number) => boolean = () => true) {
  // deno-lint-ignore require-await -- as a provider's answer comes
  return async ({ body }: ProviderCall): Promise<ProviderAnswer> => {
    const input = body.input as number[];
    batches.push(input);
    const promptTokens = input.reduce((sum, one) => sum + one, 0);
    const usage = reports(batches.length) ? { ...NO_USAGE, promptTokens } : undefined;
    return embeddingsAnswer(input.map((one) => [one, 0]), {
      upstreamModel: "upstream-model",
      usage,
      usageBody: usage && embeddingUsageBody(usage, { queue_ms: 1 }),
    });
  };
}

Deno.test("embedInBatches() splits by the route's limit, keeps the order and adds usage up", async () => {
  for (const [limit, sizes] of [[2, [2, 2, 1]], [1, [1, 1, 1, 1, 1]], [4, [4, 1]]] as const) {
    const batches: number[][] = [];
    const call = callWith([1, 2, 3, 4, 5], limit);
    const { body, usage } = await embedInBatches(call, counting(batches));
    assert.deepEqual(batches.map(({ length }) => length), sizes);
    assert.deepEqual(batches.flat(), [1, 2, 3, 4, 5]);
    assert.deepEqual(body, {
      object: "list",
      model: "upstream-model",
      data: [1, 2, 3, 4, 5].map((one, index) => ({
        object: "embedding",
        index,
        embedding: [one, 0],
      })),
      usage: { prompt_tokens: 15, total_tokens: 15 },
    });
    assert.deepEqual(usage, { ...NO_USAGE, promptTokens: 15 });
    // A provider never changes a call.
    assert.deepEqual(call.body.input, [1, 2, 3, 4, 5]);
  }
});

Deno.test("embedInBatches() asks once when everything fits, and passes the answer on", async () => {
  for (const limit of [undefined, 5, 6]) {
    const batches: unknown[] = [];
    const { body } = await embedInBatches(callWith([1, 2, 3, 4, 5], limit), counting(batches));
    assert.equal(batches.length, 1);
    assert.equal((body.usage as JsonObject).queue_ms, 1);
  }
});

Deno.test("embedInBatches() reports no usage when a batch reports none", async () => {
  for (const silent of [1, 2, 3]) {
    const { body, usage } = await embedInBatches(
      callWith([1, 2, 3, 4, 5], 2),
      counting([], (batch) => batch !== silent),
    );
    assert.equal(usage, undefined);
    assert.equal("usage" in body, false);
    assert.equal((body.data as unknown[]).length, 5);
  }
});

Deno.test("embedInBatches() fails as its batch does, and asks for no more", async () => {
  const batches: unknown[] = [];
  const embed = counting(batches);
  const error = new UpstreamError("busy", "Slow down", { retryAfterSeconds: 3 });
  await assert.rejects(
    embedInBatches(callWith([1, 2, 3, 4, 5], 2), (call) => {
      if (batches.length === 1) throw error;
      return embed(call);
    }),
    error,
  );
  assert.equal(batches.length, 1);
});
