/**
 * What a route's use is sold for, as administration shows it.
 *
 * @module
 */

import * as z from "zod";
import { shownAmount } from "../base/answer_fields.ts";

/** Sale prices of a route, by what is bought; a rate that is not given falls back as in the catalogue. */
export const shownPrice = z.object({
  currency: z.string(),
  unit: z.string().describe("What the rates of tokens or seconds are for"),
  ...z.object({
    input: shownAmount,
    cached_input: shownAmount,
    cache_write: shownAmount,
    output: shownAmount,
    reasoning: shownAmount,
    request: shownAmount,
    image: shownAmount,
    second: z.union([shownAmount, z.record(z.string(), shownAmount)]).describe("Or by size"),
  }).partial().shape,
});
