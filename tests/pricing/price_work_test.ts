/**
 * Tokens become money exactly.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { PriceVersion } from "../../src/domain/price.ts";
import type { Bought } from "../../src/domain/rates_for.ts";
import { type NestedTokens, workOfTokens } from "../../src/domain/work.ts";
import { priceWork } from "../../src/pricing/price_work.ts";
import { quoteHold } from "../../src/pricing/quote.ts";
import { prices, rates, saleAt, seededRandom } from "../support/catalogue_parts.ts";

function used(tokens: Partial<NestedTokens>, image = 0): Bought {
  const work = workOfTokens({ promptTokens: 0, completionTokens: 0, ...tokens });
  return { work: { ...work, image } };
}

Deno.test("priceWork() prices cost and sale separately", () => {
  const usage = used({ promptTokens: 1_000, completionTokens: 500 });
  assert.deepEqual(priceWork(prices(), usage), { costE8: 200_000n, saleE8: 300_000n });
});

Deno.test("priceWork() takes cached, written and reasoning tokens out of their wholes", () => {
  const usage = used({
    promptTokens: 100,
    cachedTokens: 40,
    cacheWriteTokens: 10,
    completionTokens: 30,
    reasoningTokens: 20,
  });
  const sale = saleAt({
    input: "100",
    cachedInput: "10",
    cacheWrite: "200",
    output: "1000",
    reasoning: "2000",
  });
  // 50*100 + 40*10 + 10*200 + 10*1000 + 20*2000 = 57,400 per million
  assert.equal(priceWork(prices({ sale }), usage).saleE8, 5_740_000n);
});

Deno.test("priceWork() falls back to input and output for missing part rates", () => {
  const usage = used({
    promptTokens: 100,
    cachedTokens: 40,
    cacheWriteTokens: 10,
    completionTokens: 30,
    reasoningTokens: 20,
  });
  const sale = saleAt({ input: "100", output: "1000" });
  assert.equal(priceWork(prices({ sale }), usage).saleE8, 4_000_000n);
});

Deno.test("priceWork() takes a part rate of 0 for a price", () => {
  const sale = saleAt({ input: "100", cachedInput: "0", output: "1" });
  const usage = used({ promptTokens: 100, cachedTokens: 100 });
  assert.equal(priceWork(prices({ sale }), usage).saleE8, 0n);
});

Deno.test("priceWork() adds the price per call and per image", () => {
  const sale = saleAt({ input: "0", output: "0", request: "0.001", image: "0.02" });
  assert.equal(priceWork(prices({ sale }), used({})).saleE8, 100_000n);
  assert.equal(priceWork(prices({ sale }), used({}, 3)).saleE8, 6_100_000n);
});

Deno.test("priceWork() multiplies the unrounded cost by the markup and rounds once", () => {
  // Cost 0.4 units; twice rounded it would be 0, once rounded it is 0.4 * 1.5 = 0.6 -> 1.
  const parts = {
    cost: rates({ input: "0.004", output: "0" }),
    sale: { kind: "markup", factorE8: 150_000_000n },
  } as const;
  assert.deepEqual(priceWork(prices(parts), used({ promptTokens: 1 })), {
    costE8: 0n,
    saleE8: 1n,
  });
});

Deno.test("priceWork() rounds half up, once for the whole", () => {
  const sale = saleAt({ input: "0.005", output: "0.005" });
  // Half a unit rounds up; two halves make one, not two.
  assert.equal(priceWork(prices({ sale }), used({ promptTokens: 1 })).saleE8, 1n);
  const both = used({ promptTokens: 1, completionTokens: 1 });
  assert.equal(priceWork(prices({ sale }), both).saleE8, 1n);
  const under = saleAt({ input: "0.00499999", output: "0" });
  assert.equal(priceWork(prices({ sale: under }), used({ promptTokens: 1 })).saleE8, 0n);
});

Deno.test("priceWork() counts an absent cost as zero, also under a markup", () => {
  const usage = used({ promptTokens: 1_000_000 });
  assert.equal(priceWork(prices({ cost: undefined }), usage).costE8, 0n);
  const marked = prices({ cost: undefined, sale: { kind: "markup", factorE8: 200_000_000n } });
  assert.deepEqual(priceWork(marked, usage), { costE8: 0n, saleE8: 0n });
});

Deno.test("priceWork() sells a free or unpriced route for nothing, at its cost", () => {
  const usage = used({ promptTokens: 1_000_000 });
  for (const sale of [{ kind: "free" } as const, undefined]) {
    assert.deepEqual(priceWork(prices({ sale }), usage), {
      costE8: 100_000_000n,
      saleE8: 0n,
    });
  }
});

Deno.test("priceWork() refuses absurd counts and amounts", () => {
  for (const count of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
    for (const unit of ["input", "reasoning", "image"]) {
      assert.throws(() => priceWork(prices(), { work: { [unit]: count } }), RangeError, unit);
    }
  }
  const dear = saleAt({ input: "9999999999", output: "9999999999" });
  assert.throws(
    () => priceWork(prices({ sale: dear }), used({ promptTokens: 1_000_001 })),
    /^RangeError: Cannot price a call as its amount must be at most 9999999999.99999999/,
  );
});

// The oracle below shares nothing with the code: decimal strings become fractions,
// every term is multiplied out, and the rounding is floor(x + 1/2) on the fraction.

interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

function fraction(decimal: string): Fraction {
  const [whole, digits = ""] = decimal.split(".");
  return { top: BigInt(whole + digits), bottom: 10n ** BigInt(digits.length) };
}

function product(left: Fraction, right: Fraction): Fraction {
  return { top: left.top * right.top, bottom: left.bottom * right.bottom };
}

function sum(terms: readonly Fraction[]): Fraction {
  return terms.reduce((left, right) => ({
    top: left.top * right.bottom + right.top * left.bottom,
    bottom: left.bottom * right.bottom,
  }), { top: 0n, bottom: 1n });
}

/** The amount in 1e-8 units: the largest integer not above `value * 1e8 + 1/2`. */
function unitsOf({ top, bottom }: Fraction): bigint {
  const doubled = 2n * top * 100_000_000n + bottom;
  return (doubled - doubled % (2n * bottom)) / (2n * bottom);
}

interface DecimalRates {
  readonly input: string;
  readonly output: string;
  readonly cachedInput?: string;
  readonly cacheWrite?: string;
  readonly reasoning?: string;
  readonly request?: string;
  readonly image?: string;
}

function oracle(texts: DecimalRates, usage: Required<NestedTokens>, images: number): Fraction {
  const perToken = (text: string, tokens: number) =>
    product(fraction(text), { top: BigInt(tokens), bottom: 1_000_000n });
  const plain = usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens;
  return sum([
    perToken(texts.input, plain),
    perToken(texts.cachedInput ?? texts.input, usage.cachedTokens),
    perToken(texts.cacheWrite ?? texts.input, usage.cacheWriteTokens),
    perToken(texts.output, usage.completionTokens - usage.reasoningTokens),
    perToken(texts.reasoning ?? texts.output, usage.reasoningTokens),
    fraction(texts.request ?? "0"),
    product(fraction(texts.image ?? "0"), { top: BigInt(images), bottom: 1n }),
  ]);
}

Deno.test("priceWork() equals a rational oracle, and never exceeds its hold, in 100,000 cases", () => {
  const seed = 20_260_101;
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const decimal = () => {
    const places = below(9);
    const whole = random() < 0.5 ? 0 : below(10 ** below(4));
    const digits = Array.from({ length: places }, () => below(10)).join("");
    return places === 0 ? `${whole}` : `${whole}.${digits}`;
  };
  const maybe = <T>(make: () => T): T | undefined => random() < 0.4 ? make() : undefined;
  const decimalRates = (): DecimalRates => {
    const optional = {
      cachedInput: maybe(decimal),
      cacheWrite: maybe(decimal),
      reasoning: maybe(decimal),
      request: maybe(decimal),
      image: maybe(decimal),
    };
    const given = Object.entries(optional).filter(([, text]) => text !== undefined);
    return { input: decimal(), output: decimal(), ...Object.fromEntries(given) };
  };
  const count = () => below(10 ** (1 + below(7)));
  for (let round = 0; round < 100_000; round++) {
    const promptTokens = count();
    const cachedTokens = below(promptTokens + 1);
    const completionTokens = count();
    const usage: Required<NestedTokens> = {
      promptTokens,
      cachedTokens,
      cacheWriteTokens: below(promptTokens - cachedTokens + 1),
      completionTokens,
      reasoningTokens: below(completionTokens + 1),
    };
    const images = below(4);
    const cost = decimalRates();
    const markup = random() < 0.5 ? decimal() : undefined;
    const sale = decimalRates();
    const version: PriceVersion = prices({
      cost: rates({ ...cost }),
      sale: markup === undefined ? saleAt({ ...sale }) : { kind: "markup", factorE8: e8(markup) },
    });
    const expected = {
      costE8: unitsOf(oracle(cost, usage, images)),
      saleE8: unitsOf(
        markup === undefined
          ? oracle(sale, usage, images)
          : product(oracle(cost, usage, images), fraction(markup)),
      ),
    };
    const priced = priceWork(version, used(usage, images));
    const where = () =>
      `seed ${seed}, round ${round}: ${JSON.stringify({ cost, sale, markup, usage, images })}`;
    if (priced.costE8 !== expected.costE8 || priced.saleE8 !== expected.saleE8) {
      assert.fail(
        `${priced.costE8}/${priced.saleE8}, not ${expected.costE8}/${expected.saleE8}; ${where()}`,
      );
    }
    const held = quoteHold(version, {
      promptTokensBound: promptTokens,
      outputTokens: completionTokens,
      choices: 1,
      asked: { image: images },
    });
    if (priced.saleE8 > held) assert.fail(`${priced.saleE8} exceeds hold ${held}; ${where()}`);
  }
});

function e8(text: string): bigint {
  const { top, bottom } = fraction(text);
  return top * 100_000_000n / bottom;
}
