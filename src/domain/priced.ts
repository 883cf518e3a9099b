/**
 * Which routes count as priced.
 *
 * @module
 */

import type { ModelKind } from "./capabilities.ts";
import type { Route, VideoOffer } from "./catalogue.ts";
import type { Rates } from "./price.ts";
import { secondRate } from "./second_rate.ts";

/**
 * Whether a route has the prices its model kind needs: chat wants an input and
 * an output rate, embedding an input rate, video a rate for the size, or where
 * none is named for any size on offer. A route sold for free is always priced. A
 * missing price is not a price of 0.
 */
export function isPriced(
  route: Route,
  kind: ModelKind,
  size?: string,
): boolean {
  const { cost, sale } = route.prices;
  if (sale === undefined) return false;
  if (sale.kind === "free") return true;
  const rates = sale.kind === "rates" ? sale.rates : cost;
  if (rates === undefined) return false;
  switch (kind) {
    case "chat":
      return rates.input !== undefined && rates.output !== undefined;
    case "embedding":
      return rates.input !== undefined;
    case "video":
      return size === undefined
        ? hasAnySize(rates, route.video)
        : secondRate(rates, size) !== undefined;
  }
}

function hasAnySize(rates: Rates, video: VideoOffer | undefined): boolean {
  const { second } = rates;
  if (typeof second !== "object" || video === undefined) return second !== undefined;
  return video.sizes.some((size) => secondRate(rates, size) !== undefined);
}
