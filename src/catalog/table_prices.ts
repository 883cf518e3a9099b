/**
 * What the names that a wildcard stands for cost: a price for each row of the list of prices, stored
 * when the catalogue or the list changes. So what callers make up makes no price, and each call is
 * priced by a version that was stored before it.
 *
 * @module
 */

import type { Catalogue, Model, NamedPrices, Provider, Route } from "../domain/catalogue.ts";
import type { PriceVersion } from "../domain/price.ts";
import { samePrices } from "../domain/spell_rates.ts";
import type { PriceList, PriceRow } from "../vendors/price_list.ts";
import { vendorOf } from "../vendors/presets.ts";
import { costSchema } from "./price_schema.ts";
import { toRates } from "./to_catalogue.ts";
import { isWildcard } from "./wildcard.ts";

/** Whether a route's calls cost what the list says of the names that they ask for. */
export function takesTablePrices(modelId: string, { prices: { cost, sale } }: Route): boolean {
  return isWildcard(modelId) && cost === undefined && sale?.kind === "markup";
}

/** The catalogue with what its wildcards cost by a list. */
export function withTablePrices(catalogue: Catalogue, list: PriceList): Catalogue {
  if (!catalogue.models.some(({ id }) => isWildcard(id))) return catalogue;
  const providers = new Map(catalogue.providers.map((one) => [one.id, one]));
  const models = catalogue.models.map((model): Model =>
    isWildcard(model.id)
      ? {
        ...model,
        routes: model.routes.map((route) => {
          const { namedPrices: _old, ...rest } = route;
          if (!takesTablePrices(model.id, route)) return rest;
          const provider = providers.get(route.providerId);
          return { ...rest, namedPrices: pricesOf(route, { model, provider, list }) };
        }),
      }
      : model
  );
  return { ...catalogue, models };
}

/** Whether two catalogues have the same wildcards' prices; versions are not compared. */
export function sameTablePrices(one: Catalogue, other: Catalogue): boolean {
  const before = namedPricesOf(one);
  const after = namedPricesOf(other);
  return before.length === after.length && before.every((old, index) => {
    const { name, isBeginning, prices } = after[index]!;
    return old.name === name && old.isBeginning === isBeginning &&
      old.prices.routeId === prices.routeId && samePrices(old.prices, prices);
  });
}

/** One sentence for each wildcard's route that waits for prices of the list, and finds none. */
export function unlistedRoutes(
  { models, providers, currency }: Catalogue,
  list: PriceList,
): readonly { readonly route: string; readonly warning: string }[] {
  const routes = models.flatMap((model) => model.routes.map((route) => ({ model, route })));
  return routes.flatMap(({ model, route }) => {
    if (!takesTablePrices(model.id, route) || (route.namedPrices ?? []).length > 0) return [];
    const provider = providers.find(({ id }) => id === route.providerId);
    const vendor = provider && vendorOf(provider);
    const why = currency !== list.currency
      ? `the list of prices is in ${list.currency}, and the catalogue in ${currency}`
      : vendor === undefined
      ? `its provider is of no vendor that the list of prices knows`
      : `the list of prices has no ${model.kind} models of ${vendor}: put rows over it with ` +
        "tollgate prices update";
    const warning = `Route ${route.id} has no prices, so it never serves: ${why}, or give it cost`;
    return [{ route: route.id, warning }];
  });
}

function namedPricesOf({ models }: Catalogue): readonly NamedPrices[] {
  return models.flatMap(({ routes }) => routes.flatMap(({ namedPrices = [] }) => namedPrices));
}

function pricesOf(
  { prices }: Route,
  { model, provider, list }: {
    readonly model: Model;
    readonly provider: Provider | undefined;
    readonly list: PriceList;
  },
): readonly NamedPrices[] {
  const vendor = provider && vendorOf(provider);
  if (vendor === undefined || prices.currency !== list.currency) return [];
  return list.of(vendor).filter(({ kind }) => kind === model.kind).flatMap((row) =>
    namesOf(row).map((name) => ({ ...name, prices: pricesBy(row, prices) }))
  );
}

function namesOf({ model, pattern }: PriceRow): readonly Omit<NamedPrices, "prices">[] {
  return [
    { name: model },
    ...(pattern === undefined ? [] : [{ name: pattern.slice(0, -1), isBeginning: true as const }]),
  ];
}

function pricesBy({ cost }: PriceRow, { routeId, currency, sale }: PriceVersion): PriceVersion {
  return { version: 0, routeId, currency, cost: toRates(costSchema.parse(cost)), sale };
}
