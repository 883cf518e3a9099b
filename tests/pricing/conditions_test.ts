/**
 * Prices under conditions: what was bought decides, and a hold covers the dearest that may come.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Rates, UnitRates } from "../../src/domain/price.ts";
import { type Condition, videoTerms } from "../../src/domain/terms.ts";
import { priceWork } from "../../src/pricing/price_work.ts";
import { likelyBought, likelyPrice, quoteHold, quoteLikely } from "../../src/pricing/quote.ts";
import { prices, rates, saleAt, seededRandom } from "../support/catalogue_parts.ts";

const M = 1_000_000;

function when(condition: Condition, texts: Parameters<typeof rates>[0]) {
  return { condition, rates: rates(texts) as UnitRates };
}

const STEPS: Rates = {
  ...rates({ input: "2", cachedInput: "0.2", output: "12" }),
  when: [
    when({ contextAbove: 200_000 }, { input: "4", output: "18" }),
    when({ serviceTier: "flex" }, { input: "1", output: "6" }),
    when({ serviceTier: "priority", contextAbove: 200_000 }, { output: "40" }),
  ],
};
const STEPPED = prices({ cost: undefined, sale: { kind: "rates", rates: STEPS } });

Deno.test("priceWork() takes the rates of a context step for all of a call that is above it", () => {
  const sold = (input: number, cachedInput = 0) =>
    priceWork(STEPPED, { work: { input, cachedInput, output: 10 } }).saleE8;
  assert.equal(sold(200_000), 40_012_000n);
  assert.equal(sold(200_001), 80_018_400n);
  // Tokens from a cache are part of the prompt; their own rate stays where the step names none.
  assert.equal(sold(1, 200_000), 4_000_000n + 400n + 18_000n);
});

Deno.test("priceWork() takes the tier that the answer tells, the later rate of two, and else the base", () => {
  const sold = (serviceTier: string | undefined, input: number) =>
    priceWork(STEPPED, { work: { input, output: M }, terms: { serviceTier: serviceTier! } }).saleE8;
  assert.equal(sold("flex", 0), 6_00000000n);
  assert.equal(sold("flex", 300_000), 30_000_000n + 6_00000000n);
  assert.equal(sold("priority", 300_000), 1_20000000n + 40_00000000n);
  assert.equal(sold("priority", 0), 12_00000000n);
  assert.equal(sold("scale", 0), 12_00000000n);
  assert.equal(sold(undefined, 0), 12_00000000n);
});

Deno.test("quoteHold() covers the dearest condition that may come, and no other", () => {
  const hold = (promptTokensBound: number) =>
    quoteHold(STEPPED, { promptTokensBound, outputTokens: M, choices: 1 });
  assert.equal(hold(200_000), 40_000_000n + 12_00000000n);
  assert.equal(hold(300_000), 1_20000000n + 40_00000000n);
  const dear = prices({
    sale: {
      kind: "rates",
      rates: { ...STEPS, when: [when({ serviceTier: "x" }, { input: "9" })] },
    },
  });
  assert.equal(quoteHold(dear, { promptTokensBound: M, outputTokens: 0, choices: 1 }), 9_00000000n);
});

Deno.test("quoteLikely() and likelyPrice() take the tier that is asked for", () => {
  const facts = {
    capability: "chat",
    promptTokensEstimate: M,
    maxOutputTokens: 1,
    choices: 1,
  } as const;
  for (const [serviceTier, expected] of [["flex", 1_00000600n], ["none", 4_00001800n]] as const) {
    const bought = likelyBought({ ...facts, terms: { serviceTier } });
    assert.equal(quoteLikely(STEPPED, bought), expected);
    assert.equal(Math.round(likelyPrice(STEPPED, bought)), Number(expected));
  }
});

Deno.test("films are priced by size, resolution and quality, and held for exactly that", () => {
  const film: Rates = {
    ...rates({ second: "0.1" }),
    when: [
      when({ resolution: "1080p" }, { second: "0.3" }),
      when({ resolution: "1080p", quality: "draft" }, { second: "0.2" }),
      when({ size: "1x1" }, { second: "0" }),
    ],
  };
  const version = prices({ cost: film, sale: { kind: "markup", factorE8: 200_000_000n } });
  const cases = [
    ["1280x720", undefined, 20_000_000n],
    ["1080x1920", undefined, 60_000_000n],
    ["1920x1080", "draft", 40_000_000n],
    ["1920x1080", "other", 60_000_000n],
    ["1x1", "draft", 0n],
  ] as const;
  for (const [size, quality, expected] of cases) {
    const terms = { ...videoTerms(size), ...(quality && { quality }) };
    const work = { second: 1 };
    assert.equal(priceWork(version, { work, terms }).saleE8, expected, size);
    const facts = { promptTokensBound: 0, outputTokens: 0, choices: 1, asked: work, terms };
    assert.equal(quoteHold(version, facts), expected, size);
  }
});

Deno.test("sound and images have rates of their own, which holds of text alone leave out", () => {
  const sale = saleAt({ input: "1", inputAudio: "40", output: "2", outputAudio: "80" });
  const work = { input: 10, inputAudio: 100, inputImage: 5, output: 3, outputAudio: 7 };
  assert.equal(priceWork(prices({ sale }), { work }).saleE8, (15n + 4_000n + 6n + 560n) * 100n);
  const facts = { promptTokensBound: M, outputTokens: M, choices: 1 };
  assert.equal(quoteHold(prices({ sale }), facts), 3_00000000n);
  assert.equal(quoteHold(prices({ sale }), { ...facts, isMedia: true }), 120_00000000n);
});

Deno.test("tokens kept for an hour cost what other cached ones do where they have no rate", () => {
  const work = { input: 0, cacheWrite1h: M };
  for (
    const [texts, expected] of [
      [{ input: "1", cacheWrite: "2", cacheWrite1h: "3" }, 3n],
      [{ input: "1", cacheWrite: "2" }, 2n],
      [{ input: "1" }, 1n],
    ] as const
  ) {
    const { saleE8 } = priceWork(prices({ sale: saleAt({ ...texts, output: "0" }) }), { work });
    assert.equal(saleE8, expected * 1_00000000n);
  }
});

Deno.test("no price under conditions exceeds its hold, in 20,000 cases", () => {
  const random = seededRandom(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const maybe = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).filter(() => random() < 0.5));
  const decimal = () => (random() * 10).toFixed(8);
  const some = () => rates(maybe({ input: decimal(), cachedInput: decimal(), output: decimal() }));
  for (let round = 0; round < 20_000; round++) {
    const steps = Array.from({ length: 3 }, () => ({
      condition: pick<Condition>([
        { contextAbove: pick([10, 100]) },
        { serviceTier: pick(["a", "b"]) },
        { serviceTier: "a", contextAbove: 50 },
      ]),
      rates: some() as UnitRates,
    }));
    const basis: Rates = { ...some(), request: 1n, when: steps };
    const version = prices({ sale: { kind: "rates", rates: basis } });
    const work = { input: Math.floor(random() * 80), cachedInput: pick([0, 40]), output: 9 };
    const serviceTier = pick(["a", "b", "c"]);
    const bound = { promptTokensBound: work.input + work.cachedInput, outputTokens: 9, choices: 1 };
    const { saleE8 } = priceWork(version, { work, terms: { serviceTier } });
    assert.ok(saleE8 <= quoteHold(version, bound), `round ${round}`);
  }
});
