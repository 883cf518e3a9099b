/**
 * Exact money: integers in units of 1e-8 of the catalogue's currency, decimal
 * strings at the edges, one rounding (half up) at the end of a computation.
 *
 * @module
 */

/** An amount in 1e-8 currency units; never a floating point number. */
export type AmountE8 = bigint;

/** A rate in 1e-8 currency units per million tokens, per request, per image or per second. */
export type RateE8 = bigint;

/** How many units of {@linkcode AmountE8} make one currency unit. */
export const UNITS_PER_CURRENCY = 100_000_000n;

/**
 * The largest amount the gateway handles: 10 digits before the point. It keeps
 * sums of amounts inside SQLite's signed 64-bit INTEGER.
 */
export const MAX_AMOUNT_E8: AmountE8 = 9_999_999_999_99999999n;

const DECIMAL = /^(\d{1,10})(?:\.(\d{1,8}))?$/;

/**
 * Reads a non-negative decimal string ("0.25", "12", at most 10 digits before
 * and 8 after the point) as an exact amount.
 *
 * @throws {RangeError} If the text is not such a decimal.
 */
export function parseAmount(text: string): AmountE8 {
  const amount = tryParseAmount(text);
  if (amount === undefined) {
    throw new RangeError(
      `Cannot read '${text}' as an amount: expected a decimal string with at most 10 digits before and 8 after the point, such as "0.25"`,
    );
  }
  return amount;
}

/** Like {@linkcode parseAmount}, but answers `undefined` for anything else. */
export function tryParseAmount(text: string): AmountE8 | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  return BigInt(match[1]!) * UNITS_PER_CURRENCY +
    BigInt((match[2] ?? "").padEnd(8, "0"));
}

/** Writes an amount with exactly 8 fractional digits, for example "0.00001500". */
export function formatAmount(amount: AmountE8): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(9, "0");
  const cut = digits.length - 8;
  return `${negative ? "-" : ""}${digits.slice(0, cut)}.${digits.slice(cut)}`;
}

/** As people write prices: "0.25", "2.00", "0.0000125". */
export function formatPrice(amount: AmountE8): string {
  return shortPrice(formatAmount(amount));
}

/** A decimal of 8 digits in the same way. */
export function shortPrice(text: string): string {
  return text.replace(/(\.\d{2}\d*?)0+$/, "$1");
}

/**
 * Divides a non-negative numerator by a positive denominator, rounding half up.
 * Every price is rounded once, here, at its end.
 */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}
