/**
 * Prices of a route that will work otherwise than its operator may think.
 *
 * @module
 */

import { kindOf, makesVideos, type ModelKind } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import { formatPrice } from "../domain/money.ts";
import type { Rates } from "../domain/price.ts";
import { hasRate, isPriced, ratedSizes } from "../domain/rates_for.ts";
import { spellCondition, WIRE_NAMES } from "../domain/spell_rates.ts";
import { SIDES, type Unit, UNIT_NAMES, unitOf, wireName } from "../domain/units.ts";

/** One sentence for each; empty when every price does what it says. */
export function priceWarnings(route: Route, kind: ModelKind): readonly string[] {
  if (!isPriced(route, kind)) {
    return [`Unpriced, so it never serves: ${kindOf(kind).advice}, or free: true`];
  }
  const { cost, sale } = route.prices;
  return [
    ...sparseRates("cost", cost),
    ...sparseRates("sale", sale?.kind === "rates" ? sale.rates : undefined),
    ...(makesVideos(kind) ? videoWarnings(route) : []),
  ];
}

/**
 * Rates that a condition lacks or alone has. Tokens of all kinds are one thing that is sold: who names
 * some of them under a condition may take the others to change too. Everything else stands by itself;
 * videos without a rate for their size are told of anyway.
 */
function sparseRates(side: string, rates: Rates | undefined): readonly string[] {
  if (rates === undefined) return [];
  const when = rates.when ?? [];
  return when.flatMap(({ condition, rates: own }) => {
    const words = Object.entries(spellCondition(condition, WIRE_NAMES))
      .map((entry) => entry.join(" ")).join(", ");
    const isOfTokens = TOKENS.some((unit) => own[unit] !== undefined);
    const lacking = TOKENS.filter((unit) => own[unit] === undefined && rates[unit] !== undefined);
    const alone = UNIT_NAMES.filter((unit) =>
      unit !== "second" && own[unit] !== undefined && rates[unit] === undefined
    );
    const others = when.length > 1 ? ", or that of another condition" : "";
    return [
      ...(isOfTokens ? lacking : []).map((unit) =>
        `${side} under ${words} has no rate for ${
          wireName(unit)
        }: the one without this condition ` +
        `(${formatPrice(rates[unit]!)}${others}) is used`
      ),
      ...alone.map((unit) =>
        `${side} has a rate for ${wireName(unit)} under ${words} only: without it ${
          instead(rates, unit)
        }`
      ),
    ];
  });
}

const TOKENS: readonly Unit[] = [...SIDES.prompt, ...SIDES.completion];

function instead(rates: Rates, unit: Unit): string {
  for (let at = unitOf(unit).fallback; at !== undefined; at = unitOf(at).fallback) {
    if (rates[at] !== undefined) {
      return `these cost what ${wireName(at)} does (${formatPrice(rates[at]!)})`;
    }
  }
  return "they count as 0";
}

function videoWarnings(route: Route): readonly string[] {
  const { cost, sale } = route.prices;
  const sizes = route.video?.sizes ?? [];
  const saleRates = sale?.kind === "rates" ? sale.rates : undefined;
  return [
    ...sizes.filter((size) => !isPriced(route, "video", size))
      .map((size) => `Unpriced for ${size}: add its rate, or leave it out of video.sizes`),
    // Under a markup the sale lacks the rate too, which is said above.
    ...(sale?.kind === "markup" ? [] : sizesWithoutRate(cost, sizes))
      .map((size) => `Without a cost for ${size}, which then counts as 0: add its rate`),
    ...[...new Set([...ratedSizes(cost), ...ratedSizes(saleRates)])]
      .filter((size) => !sizes.includes(size))
      .map((size) => `Priced for ${size}, which it does not offer: add it to video.sizes`),
  ];
}

/** Offered sizes that a side with rates by size leaves out. */
function sizesWithoutRate(rates: Rates | undefined, sizes: readonly string[]): readonly string[] {
  if (rates === undefined || ratedSizes(rates).length === 0) return [];
  return sizes.filter((size) => !hasRate(rates, "second", size));
}
