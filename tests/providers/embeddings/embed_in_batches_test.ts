import assert from "node:assert/strict";
import { embedInBatches } from "../../../src/providers/embeddings/embed_in_batches.ts";
import type { Embedded } from "../../../src/providers/embeddings/vector_format.ts";
import type { ProviderCall } from "../../../src/providers/contract/provider.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { chatRoute, failureOf } from "../../support/provider_parts.ts";

/** A call with these inputs to a route that takes so many at once. */
function callWith(input: readonly unknown[], maxInputs?: number): ProviderCall {
  return {
    route: chatRoute({ supports: maxInputs === undefined ? {} : { maxInputs } }),
    body: { model: "model", input, dimensions: 2, user: "me" },
    outputTokensCap: undefined,
  };
}

/** Embeds an input `n` as `[n, 0]` for `n` tokens, one of them cached, and notes each batch. */
function counting(batches: unknown[], reports: (batch: number) => boolean = () => true) {
  // deno-lint-ignore require-await -- as a provider's answer comes
  return async ({ body }: ProviderCall): Promise<Embedded> => {
    const input = body.input as number[];
    batches.push(input);
    const promptTokens = input.reduce((sum, one) => sum + one, 0);
    return {
      vectors: input.map((one) => [one, 0]),
      usage: reports(batches.length) ? { input: promptTokens, cachedInput: 1 } : undefined,
      rawUsage: { queue_ms: 1 },
    };
  };
}

Deno.test("embedInBatches() splits by the route's limit, keeps the order and adds usage up", async () => {
  for (const [limit, sizes] of [[2, [2, 2, 1]], [1, [1, 1, 1, 1, 1]], [4, [4, 1]]] as const) {
    const batches: number[][] = [];
    const call = callWith([1, 2, 3, 4, 5], limit);
    assert.deepEqual(await embedInBatches(call, counting(batches)), {
      vectors: [1, 2, 3, 4, 5].map((one) => [one, 0]),
      usage: { input: 15, cachedInput: sizes.length },
    });
    assert.deepEqual(batches.map(({ length }) => length), sizes);
    assert.deepEqual(batches.flat(), [1, 2, 3, 4, 5]);
    // A provider never changes a call.
    assert.deepEqual(call.body.input, [1, 2, 3, 4, 5]);
  }
});

Deno.test("embedInBatches() asks once when everything fits, and passes what comes on", async () => {
  for (const limit of [undefined, 5, 6]) {
    const batches: unknown[] = [];
    const { rawUsage } = await embedInBatches(callWith([1, 2, 3, 4, 5], limit), counting(batches));
    assert.equal(batches.length, 1);
    assert.deepEqual(rawUsage, { queue_ms: 1 });
  }
});

Deno.test("embedInBatches() asks for no more than an answer can hold where the route does not say", async () => {
  const inputs = Array<number>(2_048).fill(1);
  for (const [limit, sizes] of [[undefined, [512, 512, 512, 512]], [2_048, [2_048]]] as const) {
    const batches: number[][] = [];
    await embedInBatches(callWith(inputs, limit), counting(batches));
    assert.deepEqual(batches.map(({ length }) => length), sizes);
  }
});

Deno.test("embedInBatches() reports no usage when a batch reports none", async () => {
  for (const silent of [1, 2, 3]) {
    const { vectors, usage } = await embedInBatches(
      callWith([1, 2, 3, 4, 5], 2),
      counting([], (batch) => batch !== silent),
    );
    assert.equal(usage, undefined);
    assert.equal(vectors.length, 5);
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

Deno.test("embedInBatches() joins no vectors of two lengths", async () => {
  const batches: unknown[] = [];
  const embed = counting(batches);
  const error = await failureOf(embedInBatches(callWith([1, 2, 3, 4, 5], 2), async (call) => {
    const { vectors, usage } = await embed(call);
    const more = batches.length === 2 ? [0] : [];
    return { usage, vectors: vectors.map((vector) => [...vector as number[], ...more]) };
  }));
  assert.equal(error.failure, "broken");
  assert.equal(batches.length, 2);
});
