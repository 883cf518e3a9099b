/**
 * Prices as the catalogue file writes them: decimal strings, never numbers,
 * since binary fractions cannot hold 0.1.
 *
 * @module
 */

import * as z from "zod";
import { boundedList, boundedRecord, FAULTS_TOLD } from "../documents/bounded.ts";
import { parseAmount, UNITS_PER_CURRENCY } from "../domain/money.ts";
import { conditionOf, MOST_TERM_CHARACTERS, TERM_NAMES } from "../domain/terms.ts";
import { type Unit, UNIT_NAMES, unitOf, type WireName, wireName } from "../domain/units.ts";

/** The highest price per unit; with it no computation leaves the range of amounts unnoticed. */
export const MAX_PRICE = 1_000_000;
/** The highest factor that costs are sold by. */
export const MAX_MARKUP = 1_000;

const DECIMAL = /^\d{1,7}(\.\d{1,8})?$/;
const DECIMAL_HINT =
  'Expected a decimal in quotes such as "0.25", not negative, with at most 8 digits after the point';

const price = z.string().regex(DECIMAL, DECIMAL_HINT).refine(
  (text) => !DECIMAL.test(text) || parseAmount(text) <= BigInt(MAX_PRICE) * UNITS_PER_CURRENCY,
  `Expected a price of at most ${MAX_PRICE}`,
).describe('Decimal string with up to 8 digits after the point, such as "0.25".');

/** Whether the text is a factor that costs may be sold by. */
export function isMarkup(text: string): boolean {
  if (!DECIMAL.test(text)) return false;
  const factor = parseAmount(text);
  return factor > 0n && factor <= BigInt(MAX_MARKUP) * UNITS_PER_CURRENCY;
}

const markup = z.string().regex(DECIMAL, DECIMAL_HINT).refine(
  (text) => !DECIMAL.test(text) || isMarkup(text),
  `Expected a factor above 0 and at most ${MAX_MARKUP}; to sell for nothing write free: true`,
).describe('The unrounded cost times this factor, such as "1.10"; needs `cost`.');

/** A frame size, width before height. */
export const sizeText = z.string().regex(
  /^[1-9]\d{1,4}x[1-9]\d{1,4}$/,
  "Expected a size such as 1280x720",
).describe("Frame size in pixels, such as 1280x720.");

const bySize = boundedRecord(sizeText, price, { most: 100, faults: FAULTS_TOLD });

/** A price for each unit; seconds of a film also by size. */
type RateFields =
  & { readonly [unit in Exclude<Unit, "second"> as WireName<unit>]: z.ZodOptional<typeof price> }
  & { readonly second: z.ZodOptional<z.ZodUnion<[typeof price, typeof bySize]>> };

const rateFields = Object.fromEntries(UNIT_NAMES.map((name) => {
  const { wire, describe } = unitOf(name);
  const schema = name === "second" ? z.union([price, bySize]) : price;
  return [wire, schema.optional().describe(describe)];
})) as unknown as RateFields;

const conditionText = z.string().min(1).max(MOST_TERM_CHARACTERS);

const whenSchema = z.strictObject({
  ...Object.fromEntries(TERM_NAMES.map((name) => {
    const { wire, describe } = conditionOf(name);
    return [wire, (name === "size" ? sizeText : conditionText).optional().describe(describe)];
  })),
  context_above: z.int().min(1).max(1_000_000_000).optional().describe(
    "More tokens in the prompt than this: then the rates hold for all of the call.",
  ),
  ...Object.fromEntries(
    UNIT_NAMES.map((name) => [wireName(name), price.optional().describe(unitOf(name).describe)]),
  ),
});

const conditions = {
  when: boundedList(whenSchema, { least: 1, most: 100, faults: FAULTS_TOLD }).optional().describe(
    "Rates that take the place of the others while what stands beside them is so; of two that " +
      "name the same rate the later one wins. What the answer tells (`service_tier`) and the " +
      "tokens that were read decide, not the request.",
  ),
};

/** The names of all rates, as the file writes them. */
export const RATE_KEYS: readonly string[] = [...Object.keys(rateFields), "when"];

/** What the operator pays. */
export const costSchema = z.strictObject({ ...rateFields, ...conditions }).describe(
  "What the operator pays. A price of 0 is a price, a missing one is not.",
);

/** What the project pays: exactly one of rates, `markup` and `free`. */
export const saleSchema = z.strictObject({
  ...rateFields,
  ...conditions,
  markup: markup.optional(),
  free: z.literal(true).optional().describe("Sold for nothing; counts as priced."),
}).describe("What the project pays: rates of its own, or `markup`, or `free: true`.");

/** {@linkcode costSchema}'s value. */
export type FileRates = z.output<typeof costSchema>;
/** {@linkcode saleSchema}'s value. */
export type FileSale = z.output<typeof saleSchema>;
