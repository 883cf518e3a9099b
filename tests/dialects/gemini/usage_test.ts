/**
 * Counts of Google's answers, in buckets of which none is inside another.
 *
 * @module
 */

import assert from "node:assert/strict";
import { readUsage, termsOf } from "../../../src/dialects/gemini/usage.ts";
import { completionTokens, promptTokens, type Work } from "../../../src/domain/work.ts";
import {
  BLOCKED,
  CALL_STREAM,
  FULL_USAGE,
  LATE_COUNTS_STREAM,
  PLAIN_USAGE,
  SIGNED_END_STREAM,
  THOUGHTS_STREAM,
  TOOL_USE_USAGE,
} from "../../support/gemini_bodies.ts";

type Counts = Record<string, unknown>;

const RECORDED: readonly Counts[] = [
  ...[...CALL_STREAM, ...SIGNED_END_STREAM, ...THOUGHTS_STREAM, ...LATE_COUNTS_STREAM, BLOCKED]
    .map(({ usageMetadata }) => usageMetadata as Counts),
  TOOL_USE_USAGE,
  FULL_USAGE,
  PLAIN_USAGE,
];

Deno.test("the buckets of every recorded usage add up to the vendor's total", () => {
  let counted = 0;
  for (const usage of RECORDED) {
    const work = readUsage(usage);
    if (usage.totalTokenCount === undefined) {
      assert.equal(work, undefined, "nothing but what serves is no count");
      continue;
    }
    counted++;
    assert.equal(promptTokens(work!) + completionTokens(work!), usage.totalTokenCount);
    assert.ok(Object.values(work!).every((count) => count >= 0));
  }
  assert.equal(counted, 13);
});

const CASES: readonly (readonly [name: string, usage: Counts, work: Work | undefined])[] = [
  ["what a tool has read is prompt, thoughts are beside the answer", TOOL_USE_USAGE, {
    input: 144,
    output: 51,
    reasoning: 56,
  }],
  ["what is cached is inside the prompt", FULL_USAGE, {
    input: 79,
    cachedInput: 3,
    output: 4,
    reasoning: 56,
  }],
  ["thoughts are inside the answer where the total says so", {
    promptTokenCount: 10,
    candidatesTokenCount: 50,
    thoughtsTokenCount: 30,
    totalTokenCount: 60,
  }, { input: 10, output: 20, reasoning: 30 }],
  ["sounds and pictures are told by the details", {
    promptTokenCount: 100,
    cachedContentTokenCount: 20,
    candidatesTokenCount: 1_300,
    totalTokenCount: 1_400,
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: 40 },
      { modality: "AUDIO", tokenCount: 50 },
      { modality: "IMAGE", tokenCount: 10 },
    ],
    cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 20 }],
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
  }, {
    input: 40,
    cachedInput: 20,
    inputAudio: 30,
    inputImage: 10,
    output: 10,
    outputImage: 1_290,
  }],
  ["a blocked prompt is paid for", BLOCKED.usageMetadata as Counts, { input: 9, output: 0 }],
  ["counts below nothing are none", { promptTokenCount: -1, totalTokenCount: 4 }, undefined],
  ["counts that are no numbers are none", { promptTokenCount: "9" }, undefined],
  ["parts of a count are none", { promptTokenCount: 1.5 }, undefined],
];
for (const [name, usage, work] of CASES) {
  Deno.test(name, () => assert.deepEqual(readUsage(usage), work));
}

Deno.test("counts beyond the context are none", () => {
  assert.equal(readUsage({ promptTokenCount: 101, totalTokenCount: 101 }, 100), undefined);
  assert.deepEqual(readUsage({ promptTokenCount: 100, totalTokenCount: 100 }, 100), {
    input: 100,
    output: 0,
  });
});

Deno.test("what serves is told by the names that prices have", () => {
  assert.deepEqual(termsOf({ serviceTier: "standard" }), {});
  assert.deepEqual(termsOf({ serviceTier: "flex" }), { serviceTier: "flex" });
  assert.deepEqual(termsOf({ trafficType: "ON_DEMAND" }), {});
  assert.deepEqual(termsOf({ trafficType: "ON_DEMAND_PRIORITY" }), { serviceTier: "priority" });
  assert.deepEqual(termsOf({ trafficType: "PROVISIONED_THROUGHPUT" }), {
    serviceTier: "provisioned_throughput",
  });
  assert.equal(termsOf({}), undefined);
});
