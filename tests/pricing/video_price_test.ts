/**
 * Films become money exactly, and are held for exactly that.
 *
 * @module
 */

import assert from "node:assert/strict";
import { boughtBy, type VideoWork } from "../../src/domain/call.ts";
import { type Bought, isPriced } from "../../src/domain/rates_for.ts";
import { videoAsked } from "../../src/planning/facts_of_video.ts";
import type { PriceVersion, Rates } from "../../src/domain/price.ts";
import { NO_WORK } from "../../src/domain/work.ts";
import { likelyBought, likelyPrice, quoteHold, quoteLikely } from "../../src/pricing/quote.ts";
import { priceWork } from "../../src/pricing/price_work.ts";
import { bySize, prices, route, seededRandom } from "../support/catalogue_parts.ts";

const FILM: VideoWork = { size: "1280x720", seconds: 4 };

function selling(rates: Rates): PriceVersion {
  return prices({ cost: undefined, sale: { kind: "rates", rates } });
}

/** What a hold and a quote of a film are asked with. */
function asked(video: VideoWork, images = 0) {
  return {
    capability: "videos",
    promptTokensBound: 0,
    promptTokensEstimate: 0,
    outputTokens: 0,
    maxOutputTokens: undefined,
    choices: 1,
    ...videoAsked({ video, hasReference: images > 0 }),
  } as const;
}

/** A film that was made. */
function film(video: VideoWork, image = 0): Bought {
  return boughtBy({ work: { image }, video });
}

Deno.test("priceWork() prices the seconds of a film by its size", () => {
  const sized = selling({ ...bySize({ "1280x720": 2_000_000n, "640x360": 1_000_000n }) });
  assert.equal(priceWork(sized, film(FILM)).saleE8, 8_000_000n);
  assert.equal(
    priceWork(sized, film({ size: "640x360", seconds: 12 })).saleE8,
    12_000_000n,
  );
  assert.equal(priceWork(selling({ second: 5n }), film(FILM)).saleE8, 20n);
  assert.equal(priceWork(sized, { work: NO_WORK }).saleE8, 0n);
});

Deno.test("priceWork() adds what a film costs per request and per image", () => {
  const version = selling({ second: 100n, request: 7n, image: 50n });
  assert.equal(priceWork(version, film(FILM)).saleE8, 407n);
  assert.equal(priceWork(version, film(FILM, 1)).saleE8, 457n);
});

Deno.test("priceWork() marks up the unrounded cost of a film", () => {
  const version = prices({
    cost: bySize({ "1280x720": 1n }),
    sale: { kind: "markup", factorE8: 112_500_000n },
  });
  // 4 x 1.125 = 4.5, half up.
  assert.deepEqual(priceWork(version, film(FILM)), { costE8: 4n, saleE8: 5n });
});

Deno.test("priceWork() refuses seconds that are no length", () => {
  for (const seconds of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
    assert.throws(
      () => priceWork(selling({ second: 1n }), film({ size: "1280x720", seconds })),
      /^RangeError: Cannot price a call as its 'second' must be a non-negative integer/,
    );
  }
});

Deno.test("quoteLikely() of an unpriced route is undefined, of a free one 0", () => {
  assert.equal(quoteLikely(prices({ sale: undefined }), likelyBought(asked(FILM))), undefined);
  assert.equal(quoteLikely(prices({ sale: { kind: "free" } }), likelyBought(asked(FILM))), 0n);
  assert.equal(quoteHold(prices({ sale: { kind: "free" } }), asked(FILM)), 0n);
  assert.equal(likelyPrice(prices({ sale: { kind: "free" } }), likelyBought(asked(FILM))), 0);
});

Deno.test("isPriced() of a video wants a rate for the size, and takes no name for one", () => {
  const sized = route({ prices: selling(bySize({ "1280x720": 0n })) });
  assert.equal(isPriced(sized, "video", "1280x720"), true);
  assert.equal(isPriced(sized, "video"), true);
  for (const size of ["640x360", "constructor", "__proto__"]) {
    assert.equal(isPriced(sized, "video", size), false, size);
  }
  assert.equal(isPriced(route({ prices: selling({ request: 1n }) }), "video", "1280x720"), false);
});

// The oracle shares nothing with the code: decimal strings become fractions, every
// term is multiplied out, and the rounding is floor(x + 1/2) on the fraction.

interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

function fraction(decimal: string): Fraction {
  const [whole, digits = ""] = decimal.split(".");
  return { top: BigInt(whole + digits), bottom: 10n ** BigInt(digits.length) };
}

function times(left: Fraction, right: Fraction): Fraction {
  return { top: left.top * right.top, bottom: left.bottom * right.bottom };
}

function plus(left: Fraction, right: Fraction): Fraction {
  return {
    top: left.top * right.bottom + right.top * left.bottom,
    bottom: left.bottom * right.bottom,
  };
}

/** The amount in 1e-8 units: the largest integer not above `value * 1e8 + 1/2`. */
function unitsOf({ top, bottom }: Fraction): bigint {
  const doubled = 2n * top * 100_000_000n + bottom;
  return (doubled - doubled % (2n * bottom)) / (2n * bottom);
}

/** One side's prices as an operator writes them. */
interface FilmRates {
  /** One rate, or one by size; a size that is missing costs nothing. */
  readonly second: string | { readonly [size: string]: string };
  readonly request: string | undefined;
  readonly image: string | undefined;
}

function oracle({ second, request, image }: FilmRates, video: VideoWork, images: number): Fraction {
  const perSecond = typeof second === "string" ? second : second[video.size] ?? "0";
  const whole = (count: number) => ({ top: BigInt(count), bottom: 1n });
  return plus(
    plus(times(fraction(perSecond), whole(video.seconds)), fraction(request ?? "0")),
    times(fraction(image ?? "0"), whole(images)),
  );
}

function e8(text: string): bigint {
  const { top, bottom } = fraction(text);
  return top * 100_000_000n / bottom;
}

function toRates({ second, request, image }: FilmRates): Rates {
  const sizes = (texts: { readonly [size: string]: string }) =>
    Object.fromEntries(Object.entries(texts).map(([size, text]) => [size, e8(text)]));
  return {
    ...(typeof second === "string" ? { second: e8(second) } : bySize(sizes(second))),
    ...(request !== undefined && { request: e8(request) }),
    ...(image !== undefined && { image: e8(image) }),
  };
}

Deno.test("a film's price equals a rational oracle and its hold exactly, in 50,000 cases", () => {
  const seed = 20_260_102;
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const decimal = () => {
    const places = below(9);
    const whole = random() < 0.5 ? 0 : below(10 ** below(4));
    const digits = Array.from({ length: places }, () => below(10)).join("");
    return places === 0 ? `${whole}` : `${whole}.${digits}`;
  };
  const maybe = (): string | undefined => random() < 0.4 ? decimal() : undefined;
  const sizes = ["720x1280", "1280x720", "1792x1024", "640x360"];
  const filmRates = (): FilmRates => {
    const some = sizes.filter(() => random() < 0.7);
    const bySize = Object.fromEntries(some.map((size) => [size, decimal()]));
    return { second: random() < 0.5 ? decimal() : bySize, request: maybe(), image: maybe() };
  };
  for (let round = 0; round < 50_000; round++) {
    const video = { size: sizes[below(sizes.length)]!, seconds: 1 + below(3_600) };
    const images = below(2);
    const cost = filmRates();
    const sale = filmRates();
    const markup = random() < 0.5 ? decimal() : undefined;
    const version = prices({
      cost: toRates(cost),
      sale: markup === undefined
        ? { kind: "rates", rates: toRates(sale) }
        : { kind: "markup", factorE8: e8(markup) },
    });
    const exactSale = markup === undefined
      ? oracle(sale, video, images)
      : times(oracle(cost, video, images), fraction(markup));
    const expected = {
      costE8: unitsOf(oracle(cost, video, images)),
      saleE8: unitsOf(exactSale),
    };
    const priced = priceWork(version, film(video, images));
    const where = `seed ${seed}, round ${round}: ` +
      JSON.stringify({ cost, sale, markup, video, images });
    if (priced.costE8 !== expected.costE8 || priced.saleE8 !== expected.saleE8) {
      assert.fail(
        `${priced.costE8}/${priced.saleE8}, not ${expected.costE8}/${expected.saleE8}; ${where}`,
      );
    }
    const facts = asked(video, images);
    if (quoteHold(version, facts) !== priced.saleE8) assert.fail(`the hold differs; ${where}`);
    if (quoteLikely(version, likelyBought(facts)) !== priced.saleE8) {
      assert.fail(`the quote differs; ${where}`);
    }
    const likely = likelyPrice(version, likelyBought(facts));
    const tolerance = 0.500001 + Number(priced.saleE8) * 1e-12;
    if (Math.abs(likely - Number(priced.saleE8)) > tolerance) {
      assert.fail(`weighed at ${likely}, priced at ${priced.saleE8}; ${where}`);
    }
  }
});
