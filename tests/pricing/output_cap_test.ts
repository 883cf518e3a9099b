/**
 * The output limit that a call is held for.
 *
 * @module
 */

import assert from "node:assert/strict";
import { outputCap, type OutputCapFacts } from "../../src/pricing/output_cap.ts";
import { route } from "../support/catalogue_parts.ts";

const FACTS: OutputCapFacts = {
  capability: "chat",
  maxOutputTokens: undefined,
  promptTokensEstimate: 100,
  pays: true,
};

Deno.test("outputCap() holds for the requested maximum and sends nothing of its own", () => {
  const wide = route({ supports: { maxOutputTokens: 4_096 } });
  assert.deepEqual(outputCap(wide, { ...FACTS, maxOutputTokens: 50 }), {
    heldTokens: 50,
    upstreamTokens: undefined,
  });
});

Deno.test("outputCap() takes the smaller of the route's maximum and 16,384 otherwise", () => {
  const cases = [[undefined, 16_384], [4_096, 4_096], [128_000, 16_384]] as const;
  for (const [maxOutputTokens, expected] of cases) {
    const supports = maxOutputTokens === undefined ? {} : { maxOutputTokens };
    assert.deepEqual(outputCap(route({ supports }), FACTS), {
      heldTokens: expected,
      upstreamTokens: expected,
    });
  }
});

Deno.test("outputCap() sends no limit upstream for a project that does not pay", () => {
  assert.deepEqual(outputCap(route(), { ...FACTS, pays: false }), {
    heldTokens: 16_384,
    upstreamTokens: undefined,
  });
});

Deno.test("outputCap() leaves the prompt its room in a known context", () => {
  const small = route({ supports: { contextTokens: 8_192 } });
  assert.equal(outputCap(small, { ...FACTS, promptTokensEstimate: 1_000 }).heldTokens, 6_878);
  assert.equal(outputCap(small, { ...FACTS, promptTokensEstimate: 8_000 }).heldTokens, 256);
});

Deno.test("outputCap() holds no output for embeddings", () => {
  assert.deepEqual(outputCap(route(), { ...FACTS, capability: "embeddings" }), {
    heldTokens: 0,
    upstreamTokens: undefined,
  });
});
