/**
 * What a route costs and sells for: rates as exact integers.
 *
 * @module
 */

import type { RateE8 } from "./money.ts";

/**
 * Rates of one side (cost or sale). Token rates are per million tokens. A rate
 * that is absent is unknown, which is not 0; {@linkcode cachedInput} and
 * {@linkcode cacheWrite} fall back to `input`, {@linkcode reasoning} to `output`.
 */
export interface Rates {
  readonly input?: RateE8;
  readonly cachedInput?: RateE8;
  readonly cacheWrite?: RateE8;
  readonly output?: RateE8;
  readonly reasoning?: RateE8;
  /** Per call. */
  readonly request?: RateE8;
  /** Per input image. */
  readonly image?: RateE8;
  /** Per second of video: one rate, or one by size ("1280x720"). */
  readonly second?: RateE8 | { readonly [size: string]: RateE8 };
}

/** How the sale side follows: free, the unrounded cost times a factor, or rates of its own. */
export type Sale =
  | { readonly kind: "free" }
  | { readonly kind: "markup"; readonly factorE8: bigint }
  | { readonly kind: "rates"; readonly rates: Rates };

/**
 * The prices of a route as they stood at one time. Each difference in prices
 * gets a new version, which holds and settles refer to by number.
 */
export interface PriceVersion {
  /** Assigned by storage, rising; 0 while not yet stored. */
  readonly version: number;
  readonly routeId: string;
  readonly currency: string;
  /** What the operator pays; an absent cost (own hardware) counts as zero. */
  readonly cost: Rates | undefined;
  /** What the project pays; `undefined` means the route is unpriced. */
  readonly sale: Sale | undefined;
}

/** The `pricing` object of answers: decimal strings with 8 fractional digits. */
export interface PricingView {
  readonly currency: string;
  readonly cost_amount: string;
  readonly sale_amount: string;
}
