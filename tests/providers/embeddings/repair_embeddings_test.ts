import assert from "node:assert/strict";
import { repairEmbeddings } from "../../../src/providers/embeddings/repair_embeddings.ts";
import type { Embedded } from "../../../src/providers/embeddings/vector_format.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

/** Two vectors, as OpenAI sends them. */
function listOf(...data: unknown[]): JsonObject {
  return {
    object: "list",
    data,
    model: "upstream-model-2026",
    usage: { prompt_tokens: 8, total_tokens: 8 },
  };
}

const one = { object: "embedding", index: 0, embedding: [1, 0] };
const two = { object: "embedding", index: 1, embedding: [0, 1] };

function repair(
  body: JsonObject,
  options: { count?: number; format?: "float" | "base64"; contextTokens?: number } = {},
): Embedded | undefined {
  const { count = 2, format = "float", contextTokens } = options;
  return repairEmbeddings(body, {
    count,
    format,
    bounds: contextTokens === undefined ? {} : { contextTokens },
  });
}

Deno.test("repairEmbeddings() gives one vector for each input, in their order, and nothing else", () => {
  const extra = { ...two, vendor: "x", truncated: true };
  for (const data of [[one, two], [extra, one], [{ embedding: [1, 0] }, { embedding: [0, 1] }]]) {
    assert.deepEqual(repair({ ...listOf(...data), vendor: { host: "gpu-7" } }), {
      vectors: [[1, 0], [0, 1]],
      usage: { input: 8, output: 0 },
      rawUsage: { prompt_tokens: 8, total_tokens: 8 },
    });
  }
});

Deno.test("repairEmbeddings() gives the format that was asked for, whatever comes", () => {
  const texts = [{ ...one, embedding: "AACAPwAAAAA=" }, { ...two, embedding: "AAAAAAAAgD8=" }];
  const mixed = [one, texts[1]];
  for (const data of [[one, two], texts, mixed]) {
    assert.deepEqual(repair(listOf(...data))?.vectors, [[1, 0], [0, 1]]);
    assert.deepEqual(repair(listOf(...data), { format: "base64" })?.vectors, [
      "AACAPwAAAAA=",
      "AAAAAAAAgD8=",
    ]);
  }
});

Deno.test("repairEmbeddings() takes no answer that is not whole", () => {
  const broken: readonly (readonly [why: string, body: JsonObject])[] = [
    ["no data", { object: "list" }],
    ["data is no list", { data: { 0: one, 1: two } }],
    ["too few", listOf(one)],
    ["too many", listOf(one, two, { ...two, index: 2 })],
    ["the same index twice", listOf(one, { ...two, index: 0 })],
    ["an index that there is not", listOf(one, { ...two, index: 2 })],
    ["a negative index", listOf(one, { ...two, index: -1 })],
    ["an item that is none", listOf(one, null)],
    ["a bare vector", listOf([1, 0], [0, 1])],
    ["no vector", listOf(one, { index: 1 })],
    ["an empty vector", listOf(one, { ...two, embedding: [] })],
    ["a null in it", listOf(one, { ...two, embedding: [0, null] })],
    ["NaN in base64", listOf(one, { ...two, embedding: "AADAfwAAgD8=" })],
    ["another length", listOf(one, { ...two, embedding: [0, 1, 0] })],
  ];
  for (const [why, body] of broken) {
    for (const format of ["float", "base64"] as const) {
      assert.equal(repair(body, { format }), undefined, why);
    }
  }
});

Deno.test("repairEmbeddings() normalises usage, keeps what vendors add, and takes no nonsense", () => {
  const usages: readonly (readonly [usage: unknown, prompt: number | undefined])[] = [
    [{ prompt_tokens: 8, total_tokens: 8 }, 8],
    [{ total_tokens: 8 }, 8],
    [{ prompt_tokens: 8 }, 8],
    [{ prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 }, 8],
    [{ prompt_tokens: 0, total_tokens: 8 }, 8],
    [{ input_tokens: 8 }, 8],
    [undefined, undefined],
    [null, undefined],
    ["8", undefined],
    [{}, undefined],
    [{ prompt_tokens: 0, total_tokens: 0 }, undefined],
    [{ prompt_tokens: -8, total_tokens: -8 }, undefined],
    [{ prompt_tokens: 8.5, total_tokens: 8.5 }, undefined],
    [{ prompt_tokens: 101, total_tokens: 101 }, undefined],
  ];
  for (const [usage, input] of usages) {
    const embedded = repair({ ...listOf(one, two), usage }, { contextTokens: 100 })!;
    const expected = input === undefined ? undefined : { input, output: 0 };
    assert.deepEqual(embedded.usage, expected, JSON.stringify(usage));
  }
  const usage = { total_tokens: 8, queue_ms: 3, completion_tokens: 1 };
  assert.deepEqual(repair({ ...listOf(one, two), usage })!.rawUsage, {
    total_tokens: 8,
    queue_ms: 3,
  });
});
