/**
 * What every answer says about itself.
 *
 * @module
 */

import * as z from "zod";
import type { PricingView } from "../../domain/price.ts";
import type { JsonObject } from "../../domain/json_value.ts";

/** An amount of money. */
export const amountField = z.string().regex(/^\d+\.\d{8}$/)
  .describe("Decimal string, 8 fractional digits");

/** Who served a call and what it cost, as the API's document tells it. */
export const answerFields = {
  provider: z.string().describe("The provider that served the call"),
  route: z.string().describe("The route that served the call"),
  pricing: z.object({ currency: z.string(), cost_amount: amountField, sale_amount: amountField }),
};

/** The additions of section 2.2 of the service specification. */
export interface AnswerFacts {
  readonly provider: string;
  readonly route: string;
  readonly usage: JsonObject;
  readonly pricing: PricingView;
}
