/**
 * Quotes: the worst case for holds, the likely case for comparing routes.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  likelyBought,
  type LikelyFacts,
  likelyPrice,
  quoteHold,
  quoteLikely,
} from "../../src/pricing/quote.ts";
import { priceWork } from "../../src/pricing/price_work.ts";
import { prices, rates, saleAt, seededRandom } from "../support/catalogue_parts.ts";

const LIKELY: LikelyFacts = {
  capability: "chat",
  promptTokensEstimate: 1_000,
  maxOutputTokens: undefined,
  choices: 1,
};

Deno.test("quoteHold() takes the dearest rate that a token could be priced at", () => {
  const facts = { promptTokensBound: 1_000_000, outputTokens: 1_000_000, choices: 1 };
  const cases = [
    [{ input: "1", output: "2" }, "3"],
    [{ input: "1", cachedInput: "0.1", cacheWrite: "1.25", output: "2" }, "3.25"],
    [{ input: "1", cachedInput: "4", output: "2" }, "6"],
    [{ input: "1", output: "2", reasoning: "5" }, "6"],
    [{ input: "1", output: "2", reasoning: "0" }, "3"],
  ] as const;
  for (const [texts, expected] of cases) {
    const amount = quoteHold(prices({ sale: saleAt(texts) }), facts);
    assert.equal(amount, BigInt(Number(expected) * 1e8), JSON.stringify(texts));
  }
});

Deno.test("quoteHold() multiplies the output by the choices, never the prompt or the call", () => {
  const sale = saleAt({ input: "1", output: "1", request: "0.5", image: "0.25" });
  const facts = {
    promptTokensBound: 1_000_000,
    outputTokens: 2_000_000,
    choices: 3,
    asked: { image: 2 },
  };
  assert.equal(quoteHold(prices({ sale }), facts), 8_00000000n);
});

Deno.test("quoteHold() follows a markup exactly and rounds like the settle", () => {
  const parts = {
    cost: rates({ input: "0.004", output: "0.004" }),
    sale: { kind: "markup", factorE8: 150_000_000n },
  } as const;
  const facts = { promptTokensBound: 1, outputTokens: 0, choices: 1 };
  assert.equal(quoteHold(prices(parts), facts), 1n);
  assert.equal(priceWork(prices(parts), { work: { input: 1 } }).saleE8, 1n);
});

Deno.test("quoteHold() holds nothing for a free route", () => {
  const facts = {
    promptTokensBound: 1_000_000,
    outputTokens: 1_000_000,
    choices: 1,
    asked: { image: 1 },
  };
  assert.equal(quoteHold(prices({ sale: { kind: "free" } }), facts), 0n);
  assert.equal(quoteHold(prices({ sale: undefined }), facts), 0n);
});

Deno.test("quoteLikely() assumes 512 output tokens a choice unless a maximum is asked", () => {
  const version = prices({ sale: saleAt({ input: "1", output: "1000" }) });
  assert.equal(quoteLikely(version, likelyBought(LIKELY)), 51_300_000n);
  assert.equal(quoteLikely(version, likelyBought({ ...LIKELY, choices: 2 })), 102_500_000n);
  assert.equal(quoteLikely(version, likelyBought({ ...LIKELY, maxOutputTokens: 10 })), 1_100_000n);
  assert.equal(
    quoteLikely(version, likelyBought({ ...LIKELY, capability: "embeddings" })),
    100_000n,
  );
});

Deno.test("quoteLikely() is undefined only when the route is unpriced", () => {
  assert.equal(quoteLikely(prices({ sale: undefined }), likelyBought(LIKELY)), undefined);
  assert.equal(quoteLikely(prices({ sale: { kind: "free" } }), likelyBought(LIKELY)), 0n);
  const markup = { kind: "markup", factorE8: 100_000_000n } as const;
  assert.equal(quoteLikely(prices({ cost: undefined, sale: markup }), likelyBought(LIKELY)), 0n);
});

Deno.test("likelyPrice() is the likely quote before rounding", () => {
  const random = seededRandom(3);
  const decimal = () => (random() * 20).toFixed(8);
  for (let round = 0; round < 1_000; round++) {
    const texts = { input: decimal(), output: decimal(), request: decimal(), image: decimal() };
    const version = prices({
      cost: rates(texts),
      sale: round % 3 === 0
        ? saleAt(texts)
        : round % 3 === 1
        ? { kind: "markup", factorE8: 113_000_000n }
        : { kind: "free" },
    });
    const facts = { ...LIKELY, asked: { image: round % 4 }, choices: 1 + round % 2 };
    const exact = Number(quoteLikely(version, likelyBought(facts)));
    assert.ok(
      Math.abs(likelyPrice(version, likelyBought(facts)) - exact) <= 0.500001,
      `round ${round}`,
    );
  }
  assert.equal(likelyPrice(prices({ sale: undefined }), likelyBought(LIKELY)), 0);
});
