/**
 * The price of a call as operators see it, line by line.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import type { StoredCall } from "../domain/call.ts";
import { formatAmount } from "../domain/money.ts";
import { unitOf, wireName } from "../domain/units.ts";
import { exactAmount, type PriceLine, priceLines } from "../pricing/price_lines.ts";
import type { AdminDeps } from "./base/deps.ts";
import { shownAmount, shownCount } from "./base/fields.ts";

const exact = z.string().regex(/^-?\d+\.\d{8,24}$/);

const shownLine = z.object({
  unit: z.string().nullable().describe("What was bought; null of an adjustment"),
  adjustment: z.enum([
    "markup",
    "share",
    "rounding",
    "not_explained",
    "free",
    "released",
    "unlimited",
    "beyond_hold",
  ]).nullable().describe(
    "markup: on the cost; share: what of a film was not made; rounding: to 8 digits; not_explained: " +
      "what the stored counts and prices do not come to; the others: what is not charged, as the " +
      "route is free, the call was released, its project is unlimited, or its hold was smaller",
  ),
  quantity: shownCount.nullable(),
  rate: shownAmount.nullable(),
  per: z.literal([1, 1_000_000]).nullable().describe("How many of the unit the rate is for"),
  amount: exact.describe("Exact: quantity x rate / per"),
});

/** One line of a price. */
export type ShownLine = Shown<typeof shownLine>;

export const shownPrice = z.object({
  cost: z.array(shownLine).describe("They add up to `cost`, to the last digit"),
  charge: z.array(shownLine).describe("They add up to `charged`, to the last digit"),
}).nullable().describe(
  "Worked out by the price version that the call was charged with; null while it is open, of refused " +
    "requests, and where that version is not there; servers of earlier versions leave it out",
);

/** The lines of a call's price. */
export async function priceOf(
  { storage }: Pick<AdminDeps, "storage">,
  call: StoredCall,
): Promise<Shown<typeof shownPrice>> {
  if (call.state === "open") return null;
  const [prices] = await storage.catalogue.priceVersions([call.priceVersion]);
  if (prices === undefined) return null;
  const { cost, charge } = priceLines(prices, call);
  return { cost: cost.map(lineAnswer), charge: charge.map(lineAnswer) };
}

function lineAnswer(line: PriceLine): ShownLine {
  const amount = exactAmount(line.amount);
  if ("adjustment" in line) {
    const { adjustment } = line;
    return { unit: null, adjustment, quantity: null, rate: null, per: null, amount };
  }
  const { unit, quantity, rateE8 } = line;
  return {
    unit: wireName(unit),
    adjustment: null,
    quantity,
    rate: formatAmount(rateE8),
    per: unitOf(unit).per === "one" ? 1 : 1_000_000,
    amount,
  };
}
