/**
 * A price line by line, as an invoice has it: what was bought, at which rate, and what else makes the
 * sum the amount that was charged, to its last digit.
 *
 * @module
 */

import { boughtBy, type ClosedCall } from "../domain/call.ts";
import type { AmountE8, RateE8 } from "../domain/money.ts";
import type { PriceVersion, Rates } from "../domain/price.ts";
import { type Bought, ratesFor } from "../domain/rates_for.ts";
import { type Unit, UNIT_NAMES, unitOf } from "../domain/units.ts";
import { FACTOR_ONE, rateOfUnit } from "./price_work.ts";

/**
 * What a line is, besides units that were bought:
 *
 * - `markup`: what the sale adds to (or takes from) the cost.
 * - `share`: takes away what of a film was not made.
 * - `rounding`: to the smallest amount that is kept.
 * - `not_explained`: what prices and counts as they are stored do not come to; there for calls of
 *   which not everything is known that they were priced by.
 * - `free`, `released`, `unlimited`, `beyond_hold`: takes away what is not charged, and why.
 */
export type Adjustment =
  | "markup"
  | "share"
  | "rounding"
  | "not_explained"
  | "free"
  | "released"
  | "unlimited"
  | "beyond_hold";

/** A line; amounts are exact: integers of 1 / 10^{@linkcode LINE_DIGITS} of the currency. */
export type PriceLine =
  | {
    readonly unit: Unit;
    readonly quantity: number;
    /** For so many of it as the table of units says. */
    readonly rateE8: RateE8;
    readonly amount: bigint;
  }
  | { readonly adjustment: Adjustment; readonly amount: bigint };

/** Digits of an exact amount: 8 of a rate, 6 of a million, 8 of a factor, 2 of a percentage. */
export const LINE_DIGITS = 24;

const PER_E8 = 10n ** 16n;
const PER_MILLION = PER_E8 / 1_000_000n;

/** The lines of both sides. */
export interface PriceLines {
  /** They add up to the call's cost. */
  readonly cost: readonly PriceLine[];
  /** They add up to what its project was charged. */
  readonly charge: readonly PriceLine[];
}

/** The lines of a closed call, by the price version that it was priced with. */
export function priceLines(prices: PriceVersion, call: ClosedCall): PriceLines {
  const { cost, sale } = prices;
  const bought = boughtBy(call);
  // Nothing is priced of a call that nobody knows the usage of.
  const isPriced = call.usageSource !== "none";
  const costLines = isPriced && cost !== undefined ? unitLines(cost, bought) : [];
  const saleLines: PriceLine[] = [];
  if (isPriced && sale?.kind === "rates") saleLines.push(...unitLines(sale.rates, bought));
  if (sale?.kind === "markup") {
    saleLines.push(...costLines);
    const more = sum(costLines) * (sale.factorE8 - FACTOR_ONE) / FACTOR_ONE;
    if (more !== 0n) saleLines.push({ adjustment: "markup", amount: more });
  }
  return {
    cost: settled(costLines, call.costE8, bought),
    charge: [...settled(saleLines, call.saleE8, bought), ...uncharged(call, sale?.kind === "free")],
  };
}

function unitLines(rates: Rates, bought: Bought): readonly PriceLine[] {
  const held = ratesFor(rates, bought);
  const { work } = bought;
  return UNIT_NAMES.flatMap((unit): PriceLine[] => {
    const quantity = unit === "request" ? 1 : work[unit] ?? 0;
    const rateE8 = rateOfUnit(held, unit);
    if (quantity === 0 || (unit === "request" && rateE8 === 0n)) return [];
    const scale = unitOf(unit).per === "one" ? PER_E8 : PER_MILLION;
    return [{ unit, quantity, rateE8, amount: BigInt(quantity) * rateE8 * scale }];
  });
}

/** The lines with what makes them the amount that is stored. */
function settled(
  lines: readonly PriceLine[],
  storedE8: AmountE8,
  { percent }: Pick<Bought, "percent">,
): readonly PriceLine[] {
  const all = [...lines];
  if (percent !== undefined && all.length > 0) {
    all.push({ adjustment: "share", amount: sum(all) * BigInt(percent - 100) / 100n });
  }
  const rest = storedE8 * PER_E8 - sum(all);
  if (rest === 0n) return all;
  const isRounding = 2n * (rest < 0n ? -rest : rest) <= PER_E8;
  return [...all, { adjustment: isRounding ? "rounding" : "not_explained", amount: rest }];
}

function uncharged(
  { saleE8, chargedE8, state, unlimited }: ClosedCall,
  isFree: boolean,
): readonly PriceLine[] {
  if (isFree) return [{ adjustment: "free", amount: 0n }];
  if (saleE8 === chargedE8) return [];
  const amount = (chargedE8 - saleE8) * PER_E8;
  if (state === "released") return [{ adjustment: "released", amount }];
  return [{ adjustment: unlimited ? "unlimited" : "beyond_hold", amount }];
}

/** What lines add up to. */
export function sum(lines: readonly PriceLine[]): bigint {
  return lines.reduce((all, { amount }) => all + amount, 0n);
}

/** An exact amount as a decimal number, with 8 digits behind its point or as many as it takes. */
export function exactAmount(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(LINE_DIGITS + 1, "0");
  const fraction = digits.slice(-LINE_DIGITS).replace(/0+$/, "").padEnd(8, "0");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -LINE_DIGITS)}.${fraction}`;
}
