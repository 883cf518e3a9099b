import { nested } from "../../support/nested_tokens.ts";
import assert from "node:assert/strict";
import { findUsage, normaliseUsage } from "../../../src/dialects/openai/normalise_usage.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

/** prompt, completion, cached, cache write, reasoning */
type Counts = readonly [number, number, number, number, number];

function countsOf(raw: JsonObject, bounds = {}): Counts | undefined {
  const usage = normaliseUsage(raw, bounds)?.usage;
  return usage === undefined ? undefined : [
    nested(usage).promptTokens,
    nested(usage).completionTokens,
    nested(usage).cachedTokens,
    nested(usage).cacheWriteTokens,
    nested(usage).reasoningTokens,
  ];
}

const ROWS: readonly [name: string, raw: JsonObject, counts: Counts | undefined][] = [
  ["plain", { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }, [5, 7, 0, 0, 0]],
  ["without a total", { prompt_tokens: 5, completion_tokens: 7 }, [5, 7, 0, 0, 0]],
  ["xAI: reasoning outside the completion", {
    prompt_tokens: 307,
    completion_tokens: 26,
    total_tokens: 560,
    completion_tokens_details: { reasoning_tokens: 227 },
  }, [307, 253, 0, 0, 227]],
  ["xAI: reasoning outside, less than the completion", {
    prompt_tokens: 10,
    completion_tokens: 50,
    total_tokens: 100,
    completion_tokens_details: { reasoning_tokens: 40 },
  }, [10, 90, 0, 0, 40]],
  ["xAI: prompt excludes cached", {
    prompt_tokens: 4142,
    completion_tokens: 10,
    total_tokens: 8480,
    prompt_tokens_details: { cached_tokens: 4328 },
  }, [8470, 10, 4328, 0, 0]],
  ["xAI: prompt excludes cached and the total too", {
    prompt_tokens: 4142,
    completion_tokens: 10,
    total_tokens: 4152,
    prompt_tokens_details: { cached_tokens: 4328 },
  }, [8470, 10, 4328, 0, 0]],
  ["xAI: cached and reasoning both outside", {
    prompt_tokens: 100,
    completion_tokens: 10,
    total_tokens: 360,
    prompt_tokens_details: { cached_tokens: 200 },
    completion_tokens_details: { reasoning_tokens: 50 },
  }, [300, 60, 200, 0, 50]],
  ["OpenAI: reasoning inside, cached inside", {
    prompt_tokens: 2006,
    completion_tokens: 300,
    total_tokens: 2306,
    prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 0 },
  }, [2006, 300, 1920, 0, 256]],
  ["everything cached", {
    prompt_tokens: 64,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: 64 },
  }, [64, 1, 64, 0, 0]],
  ["Kimi K3: reasoning is one more than the completion", {
    prompt_tokens: 951,
    completion_tokens: 6000,
    total_tokens: 6952,
    completion_tokens_details: { reasoning_tokens: 6001 },
  }, [951, 6001, 0, 0, 6001]],
  ["reasoning beyond the completion without a total is clamped", {
    prompt_tokens: 10,
    completion_tokens: 20,
    completion_tokens_details: { reasoning_tokens: 25 },
  }, [10, 20, 0, 0, 20]],
  ["Kimi: cached at top level and in details", {
    prompt_tokens: 100,
    completion_tokens: 5,
    total_tokens: 105,
    cached_tokens: 64,
    prompt_tokens_details: { cached_tokens: 64 },
  }, [100, 5, 64, 0, 0]],
  ["Kimi: cached at top level alone", {
    prompt_tokens: 100,
    completion_tokens: 5,
    cached_tokens: 64,
  }, [100, 5, 64, 0, 0]],
  ["DeepSeek: hit and miss besides the details", {
    prompt_tokens: 30,
    completion_tokens: 9,
    total_tokens: 39,
    prompt_tokens_details: { cached_tokens: 20 },
    prompt_cache_hit_tokens: 20,
    prompt_cache_miss_tokens: 10,
  }, [30, 9, 20, 0, 0]],
  ["DeepSeek: hit and miss alone", {
    prompt_cache_hit_tokens: 20,
    prompt_cache_miss_tokens: 10,
    completion_tokens: 9,
  }, [30, 9, 20, 0, 0]],
  ["Groq: float timings beside the counts", {
    queue_time: 0.012,
    prompt_tokens: 40,
    prompt_time: 0.0021,
    completion_tokens: 12,
    completion_time: 0.021,
    total_tokens: 52,
    total_time: 0.0231,
  }, [40, 12, 0, 0, 0]],
  ["Anthropic's names: cache counts stand outside", {
    input_tokens: 100,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 20,
    output_tokens: 7,
  }, [180, 7, 60, 20, 0]],
  ["Anthropic's cache names inside OpenAI's prompt", {
    prompt_tokens: 100,
    completion_tokens: 7,
    total_tokens: 107,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 20,
  }, [100, 7, 60, 20, 0]],
  ["cache writes in the details", {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 30 },
  }, [100, 7, 10, 30, 0]],
  ["the responses API's names", {
    input_tokens: 50,
    output_tokens: 20,
    total_tokens: 70,
    input_tokens_details: { cached_tokens: 30 },
    output_tokens_details: { reasoning_tokens: 8 },
  }, [50, 20, 30, 0, 8]],
  ["completion from the total", { prompt_tokens: 5, total_tokens: 12 }, [5, 7, 0, 0, 0]],
  ["prompt from the total", { completion_tokens: 7, total_tokens: 12 }, [5, 7, 0, 0, 0]],
  ["null details", {
    prompt_tokens: 5,
    completion_tokens: 7,
    prompt_tokens_details: null,
    completion_tokens_details: null,
  }, [5, 7, 0, 0, 0]],
  ["zero is a count", { prompt_tokens: 0, completion_tokens: 0 }, [0, 0, 0, 0, 0]],
  ["absurd: negative", { prompt_tokens: -1, completion_tokens: 7 }, undefined],
  ["absurd: negative detail", {
    prompt_tokens: 5,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: -5 },
  }, undefined],
  ["absurd: a fraction", { prompt_tokens: 5.5, completion_tokens: 7 }, undefined],
  ["absurd: text", { prompt_tokens: "12", completion_tokens: 7 }, undefined],
  ["absurd: beyond any integer", { prompt_tokens: 1e300, completion_tokens: 7 }, undefined],
  ["absurd: a sum beyond any integer", {
    prompt_tokens: Number.MAX_SAFE_INTEGER,
    completion_tokens: Number.MAX_SAFE_INTEGER,
  }, undefined],
  ["absurd: a boolean", { prompt_tokens: true, completion_tokens: 7 }, undefined],
  ["absurd: total less than prompt", { prompt_tokens: 12, total_tokens: 5 }, undefined],
  ["prompt alone says nothing of the completion", { prompt_tokens: 12 }, undefined],
  ["empty", {}, undefined],
];

for (const [name, raw, counts] of ROWS) {
  Deno.test(`normaliseUsage() reads usage: ${name}`, () => {
    const before = structuredClone(raw);
    assert.deepEqual(countsOf(raw), counts);
    assert.deepEqual(raw, before, "the upstream's object is not changed");
  });
}

Deno.test("normaliseUsage() takes counts beyond the route's context for absurd", () => {
  const raw = { prompt_tokens: 900, completion_tokens: 200 };
  assert.deepEqual(countsOf(raw, { contextTokens: 1_000 }), [900, 200, 0, 0, 0]);
  assert.equal(countsOf(raw, { contextTokens: 800 }), undefined);
  assert.equal(countsOf(raw, { contextTokens: 899 }), undefined);
  const many = { prompt_tokens: 10, completion_tokens: 1_500 };
  assert.equal(countsOf(many, { contextTokens: 1_000 }), undefined);
  assert.deepEqual(countsOf(many, { contextTokens: 1_000, choices: 2 }), [10, 1_500, 0, 0, 0]);
});

Deno.test("normaliseUsage() gives the wire OpenAI's meaning and keeps the upstream's other fields", () => {
  const normalised = normaliseUsage({
    prompt_tokens: 307,
    completion_tokens: 26,
    total_tokens: 560,
    queue_time: 0.5,
    num_sources_used: 0,
    prompt_tokens_details: { text_tokens: 307, cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 227, accepted_prediction_tokens: 3 },
  });
  assert.deepEqual(normalised?.body, {
    prompt_tokens: 307,
    completion_tokens: 253,
    total_tokens: 560,
    queue_time: 0.5,
    num_sources_used: 0,
    prompt_tokens_details: { text_tokens: 307, cached_tokens: 2, cache_write_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 227, accepted_prediction_tokens: 3 },
  });
});

Deno.test("findUsage() prefers the top level, then choices, then vendors' extensions", () => {
  const usage = (prompt_tokens: number) => ({ prompt_tokens, completion_tokens: 1 });
  const everywhere = {
    usage: usage(1),
    choices: [{ usage: usage(2) }],
    x_groq: { usage: usage(3) },
  };
  assert.equal(findUsage(everywhere)?.raw.prompt_tokens, 1);
  assert.equal(findUsage({ ...everywhere, usage: null })?.raw.prompt_tokens, 2);
  assert.equal(findUsage({ ...everywhere, usage: {} })?.raw.prompt_tokens, 2);
  assert.equal(
    findUsage({ ...everywhere, usage: undefined, choices: [] })?.raw.prompt_tokens,
    3,
  );
  assert.equal(findUsage({ choices: [{}], x_groq: { id: "req_1" }, x_other: null }), undefined);
});
