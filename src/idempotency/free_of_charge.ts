/**
 * An answer as it is given to an equal request: word for word, but for what it says that it cost.
 *
 * @module
 */

import type { TextParts } from "../domain/text_parts.ts";

const AMOUNT = String.raw`"\d+\.\d{8}"`;
const NOTHING = "0.00000000";

/**
 * What the gateway itself writes of an answer's price. No text of a model can look so: there the
 * quotes are escaped.
 */
const PRICING = new RegExp(
  `("pricing":\\{"currency":"[A-Z]{3}","cost_amount":)${AMOUNT}(,"sale_amount":)${AMOUNT}`,
  "g",
);
const COST =
  /("cost":)[\d.e+-]+(,"is_byok":false,"cost_details":\{"upstream_inference_cost":)[\d.e+-]+/g;

/** The same text with prices of 0. */
export function freeOfCharge(text: string): string {
  return text.replace(PRICING, `$1"${NOTHING}"$2"${NOTHING}"`).replace(COST, "$10$20");
}

/** The same parts with prices of 0. What tells a price is in one part. */
export function partsFreeOfCharge(parts: TextParts): TextParts {
  return {
    async next() {
      const part = await parts.next();
      return part === undefined ? undefined : freeOfCharge(part);
    },
    cancel: (reason) => parts.cancel(reason),
  };
}
