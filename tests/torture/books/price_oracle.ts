/**
 * What a usage costs, computed anew: rational numbers of two integers, and a rounding that does not
 * divide. It shares nothing with the program but the meaning of the words.
 *
 * @module
 */

/** A price version as JSON stores it: amounts are strings of 1e-8 units. */
export interface OracleRates {
  readonly input?: string;
  readonly cachedInput?: string;
  readonly cacheWrite?: string;
  readonly output?: string;
  readonly reasoning?: string;
  readonly request?: string;
  readonly image?: string;
  readonly second?: string;
  readonly imageOut?: string;
  readonly character?: string;
  readonly audioSecond?: string;
  readonly searchUnit?: string;
  readonly when?: readonly { readonly size: string; readonly second: string }[];
}

/** The sale side. */
export type OracleSale =
  | { readonly kind: "free" }
  | { readonly kind: "markup"; readonly factor: string }
  | { readonly kind: "rates"; readonly rates: OracleRates };

/** What was used. */
export interface OracleUsage {
  readonly promptTokens: bigint;
  readonly completionTokens: bigint;
  readonly cachedTokens: bigint;
  readonly cacheWriteTokens: bigint;
  readonly reasoningTokens: bigint;
  readonly images: bigint;
  /** Counts of further units, by their names; absent: none. */
  readonly others?: Readonly<Record<string, number>>;
  readonly videoSize: string | undefined;
  readonly videoSeconds: bigint;
  /** Of a film that was made in part, how much; 100 for everything else. */
  readonly videoPercent: bigint;
}

/** So many tokens, and nothing else. */
export function tokenUsage(promptTokens: bigint, completionTokens: bigint): OracleUsage {
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0n,
    cacheWriteTokens: 0n,
    reasoningTokens: 0n,
    images: 0n,
    videoSize: undefined,
    videoSeconds: 0n,
    videoPercent: 100n,
  };
}

/** A fraction of two integers; the second is positive. */
interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

const NOTHING: Fraction = { top: 0n, bottom: 1n };

/** The amounts in 1e-8 units that a usage comes to. */
export function oraclePrice(
  { cost, sale }: { readonly cost: OracleRates | undefined; readonly sale: OracleSale | undefined },
  usage: OracleUsage,
): { readonly cost: bigint; readonly sale: bigint } {
  const costs = exactPrice(cost, usage);
  const made: Fraction = { top: usage.videoPercent, bottom: 100n };
  return {
    cost: rounded(times(costs, made)),
    sale: rounded(times(exactSale(sale, costs, usage), made)),
  };
}

function exactSale(
  sale: OracleSale | undefined,
  costs: Fraction,
  usage: OracleUsage,
): Fraction {
  if (sale === undefined || sale.kind === "free") return NOTHING;
  if (sale.kind === "rates") return exactPrice(sale.rates, usage);
  return times(costs, { top: BigInt(sale.factor), bottom: 10n ** 8n });
}

function exactPrice(rates: OracleRates | undefined, usage: OracleUsage): Fraction {
  if (rates === undefined) return NOTHING;
  const { promptTokens, completionTokens, images, videoSize, videoSeconds } = usage;
  const other = (unit: string) => BigInt(usage.others?.[unit] ?? 0);
  // A part cannot be more than what it is a part of.
  const cached = least(usage.cachedTokens, promptTokens);
  const written = least(usage.cacheWriteTokens, promptTokens - cached);
  const reasoning = least(usage.reasoningTokens, completionTokens);
  const second = rates.when?.findLast(({ size }) => size === videoSize)?.second ?? rates.second;
  const parts: readonly Fraction[] = [
    perMillion(rates.input, promptTokens - cached - written),
    perMillion(rates.cachedInput ?? rates.input, cached),
    perMillion(rates.cacheWrite ?? rates.input, written),
    perMillion(rates.output, completionTokens - reasoning),
    perMillion(rates.reasoning ?? rates.output, reasoning),
    each(rates.request, 1n),
    each(rates.image, images),
    each(second, videoSeconds),
    each(rates.imageOut, other("imageOut")),
    perMillion(rates.character, other("character")),
    each(rates.audioSecond, other("audioSecond")),
    each(rates.searchUnit, other("searchUnit")),
  ];
  return parts.reduce(plus, NOTHING);
}

function perMillion(rate: string | undefined, tokens: bigint): Fraction {
  return { top: BigInt(rate ?? 0) * tokens, bottom: 1_000_000n };
}

function each(rate: string | undefined, count: bigint): Fraction {
  return { top: BigInt(rate ?? 0) * count, bottom: 1n };
}

function plus(one: Fraction, other: Fraction): Fraction {
  return {
    top: one.top * other.bottom + other.top * one.bottom,
    bottom: one.bottom * other.bottom,
  };
}

function times(one: Fraction, other: Fraction): Fraction {
  return { top: one.top * other.top, bottom: one.bottom * other.bottom };
}

/** The nearest integer; the larger one when both are equally near. */
function rounded({ top, bottom }: Fraction): bigint {
  const rest = top % bottom;
  const below = (top - rest) / bottom;
  return rest + rest >= bottom ? below + 1n : below;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
