/**
 * What every answer says about itself.
 *
 * @module
 */

import type { PricingView } from "../domain/price.ts";
import type { JsonObject } from "../domain/json_value.ts";

/** The additions of section 2.2 of the service specification. */
export interface AnswerFacts {
  readonly provider: string;
  readonly route: string;
  readonly usage: JsonObject;
  readonly pricing: PricingView;
}
