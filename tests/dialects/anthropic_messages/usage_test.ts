/**
 * Counts of Anthropic's usage as disjoint work, and back.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  mergeUsage,
  readUsage,
  termsOf,
  usageBody,
} from "../../../src/dialects/anthropic_messages/usage.ts";
import type { Work } from "../../../src/domain/work.ts";

const CASES: readonly (readonly [name: string, usage: object, work: Work | undefined])[] = [
  ["the two that are always there", { input_tokens: 11, output_tokens: 6 }, {
    input: 11,
    output: 6,
  }],
  [
    "parts of the prompt beside each other, thoughts inside the output",
    {
      input_tokens: 47,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 1_000,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 373,
      output_tokens_details: { thinking_tokens: 62 },
    },
    {
      input: 47,
      cachedInput: 1_000,
      cacheWrite: 100,
      cacheWrite1h: 200,
      output: 311,
      reasoning: 62,
    },
  ],
  [
    "writes without a division are short ones",
    { input_tokens: 1, cache_creation_input_tokens: 9, output_tokens: 1 },
    { input: 1, cacheWrite: 9, output: 1 },
  ],
  [
    "writes that rose after they were divided",
    {
      input_tokens: 1,
      cache_creation_input_tokens: 500,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 1,
    },
    { input: 1, cacheWrite: 300, cacheWrite1h: 200, output: 1 },
  ],
  [
    "rounds of compaction and advice are beside the total, others inside",
    {
      input_tokens: 10,
      output_tokens: 5,
      iterations: [
        { type: "compaction", input_tokens: 100, output_tokens: 20 },
        { type: "message", input_tokens: 10, output_tokens: 5 },
        { type: "advisor_message", input_tokens: 900, output_tokens: 90, model: "other" },
      ],
    },
    { input: 1_010, output: 115 },
  ],
  ["nulls are none", {
    input_tokens: 3,
    output_tokens: 4,
    cache_creation: null,
    cache_read_input_tokens: null,
  }, { input: 3, output: 4 }],
  ["more thoughts than output", {
    input_tokens: 1,
    output_tokens: 4,
    output_tokens_details: { thinking_tokens: 9 },
  }, { input: 1, output: 0, reasoning: 4 }],
  ["no output at all", { input_tokens: 3 }, undefined],
  ["a negative count", { input_tokens: -1, output_tokens: 4 }, undefined],
  ["a count that is a text", { input_tokens: "3", output_tokens: 4 }, undefined],
  ["a fraction", { input_tokens: 3.5, output_tokens: 4 }, undefined],
  ["more than the context", { input_tokens: 2_000_000, output_tokens: 4 }, undefined],
];

for (const [name, usage, work] of CASES) {
  Deno.test(`readUsage() reads ${name}`, () => {
    assert.deepEqual(readUsage({ ...usage }, 1_000_000), work);
  });
}

Deno.test("usageBody() and readUsage() undo each other", () => {
  for (const [, , work] of CASES) {
    if (work !== undefined) assert.deepEqual(readUsage(usageBody(work)), work);
  }
  // What has no name here is of the prompt, or of the output.
  const { input_tokens, output_tokens } = usageBody({
    input: 1,
    inputImage: 2,
    output: 3,
    outputAudio: 4,
  });
  assert.deepEqual([input_tokens, output_tokens], [3, 7]);
});

Deno.test("mergeUsage() lets the last count that says something win", () => {
  assert.deepEqual(
    mergeUsage({ input_tokens: 43, output_tokens: 1, service_tier: "standard" }, {
      input_tokens: 61,
      output_tokens: null,
    }),
    { input_tokens: 61, output_tokens: 1, service_tier: "standard" },
  );
});

Deno.test("termsOf() names what is out of the usual: a tier, a speed, a place", () => {
  const usual = { service_tier: "standard", speed: "standard", inference_geo: "global" };
  assert.deepEqual(termsOf(usual), {});
  assert.deepEqual(termsOf({ ...usual, speed: "fast", inference_geo: "us" }), {
    speed: "fast",
    inferenceGeo: "us",
  });
  for (const usual of ["auto", "standard_only", "standard"]) {
    assert.deepEqual(termsOf({ service_tier: usual }), {});
  }
  assert.deepEqual(termsOf({ service_tier: "priority" }), { serviceTier: "priority" });
  assert.equal(termsOf({}), undefined);
});
