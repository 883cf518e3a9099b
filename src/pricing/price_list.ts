/**
 * The sale prices of a route in words, for callers and for administration.
 *
 * @module
 */

import * as z from "zod";
import { amountField } from "../dialects/base/answer.ts";
import { MAIN_UNITS, pricedPer } from "../domain/capabilities.ts";
import { type Unit, UNIT_NAMES, type WireName, wireName } from "../domain/units.ts";

/**
 * Token rates are per million tokens, `second` per second of video; `request` and `image` are per
 * call and per input image whatever the unit. A rate that is not given is absent and falls back as
 * in {@linkcode import("../domain/price.ts").Rates}.
 */
export const priceListSchema = z.lazy(() =>
  z.object({
    currency: z.string(),
    unit: z.enum([...new Set(MAIN_UNITS.map(pricedPer))]).describe(
      "What the rates of tokens or seconds are for",
    ),
    ...Object.fromEntries(
      UNIT_NAMES.map((name) => [wireName(name), amountField.optional()]),
    ) as { readonly [unit in Unit as WireName<unit>]: z.ZodOptional<typeof amountField> },
    when: z.array(z.record(z.string(), z.union([z.string(), z.int()]))).optional().describe(
      "Rates that hold under a condition, which stands beside them; a later one wins",
    ),
  })
);

/** {@linkcode priceListSchema}'s value. */
export type PriceList = z.output<typeof priceListSchema>;
