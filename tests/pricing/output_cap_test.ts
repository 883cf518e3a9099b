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

const own = { upstreamTokens: undefined, streamTokens: undefined };

Deno.test("outputCap() holds for the requested maximum and sends it", () => {
  const wide = route({ supports: { maxOutputTokens: 4_096 } });
  for (const pays of [true, false]) {
    assert.deepEqual(outputCap(wide, { ...FACTS, pays, maxOutputTokens: 50 }), {
      heldTokens: 50,
      upstreamTokens: 50,
      streamTokens: 50,
    });
  }
});

Deno.test("outputCap() takes the smaller of the route's maximum and 16,384 otherwise", () => {
  const cases = [[undefined, 16_384], [4_096, 4_096], [128_000, 16_384]] as const;
  for (const [maxOutputTokens, expected] of cases) {
    const supports = maxOutputTokens === undefined ? {} : { maxOutputTokens };
    assert.deepEqual(outputCap(route({ supports }), FACTS), {
      heldTokens: expected,
      upstreamTokens: expected,
      streamTokens: expected,
    });
  }
});

Deno.test("outputCap() sends no limit upstream for a project that does not pay", () => {
  assert.deepEqual(outputCap(route(), { ...FACTS, pays: false }), { ...own, heldTokens: 16_384 });
});

Deno.test("outputCap() goes by the route's rules: set, asked, default", () => {
  const none = { set: {}, default: {}, drop: [] };
  const limits = (rules: object, asked?: number, capability: "chat" | "responses" = "chat") => {
    const supports = { responses: capability === "responses" };
    const cap = outputCap(route({ supports, body: { ...none, ...rules } }), {
      ...FACTS,
      capability,
      maxOutputTokens: asked,
    });
    return [cap.heldTokens, cap.upstreamTokens, cap.streamTokens];
  };
  const rules = { set: { max_tokens: 900 }, default: { max_completion_tokens: 800 } };
  assert.deepEqual(limits(rules, 7), [900, 900, 900]);
  assert.deepEqual(limits({ default: rules.default }, 7), [7, 7, 7]);
  assert.deepEqual(limits({ default: rules.default }), [800, 800, 800]);
  assert.deepEqual(limits({ set: { max_tokens: "no limit" } }, 7), [7, 7, 7]);
  // Each API has its own names.
  assert.deepEqual(limits(rules, 7, "responses"), [7, 7, 7]);
  assert.deepEqual(limits({ set: { max_output_tokens: 900 } }, 7, "responses"), [900, 900, 900]);
  assert.deepEqual(limits({ drop: ["max_output_tokens"] }, 7, "responses"), [
    16_384,
    undefined,
    7,
  ]);
  const both = ["max_tokens", "max_completion_tokens"];
  assert.deepEqual(limits({ drop: both.slice(1) }, 7), [7, 7, 7]);
  assert.deepEqual(limits({ drop: both }, 7), [16_384, undefined, 7]);
  assert.deepEqual(limits({ drop: both }, 50_000), [50_000, undefined, 50_000]);
  assert.deepEqual(limits({ drop: both }), [16_384, undefined, 16_384]);
});

Deno.test("outputCap() leaves the prompt its room in a known context", () => {
  const small = route({ supports: { contextTokens: 8_192 } });
  assert.equal(outputCap(small, { ...FACTS, promptTokensEstimate: 1_000 }).heldTokens, 6_878);
  assert.equal(outputCap(small, { ...FACTS, promptTokensEstimate: 8_000 }).heldTokens, 256);
});

Deno.test("outputCap() holds no output for embeddings", () => {
  assert.deepEqual(outputCap(route(), { ...FACTS, capability: "embeddings" }), {
    ...own,
    heldTokens: 0,
  });
});
