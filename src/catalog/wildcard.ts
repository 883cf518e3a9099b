/**
 * Models whose id ends in `*`: they stand for every name that begins so.
 *
 * @module
 */

import type { Model, NamedPrices, Route } from "../domain/catalogue.ts";
import type { PriceVersion } from "../domain/price.ts";
import { longId } from "./model_ids.ts";

/** Stands for the rest of a name. */
export const REST = "*";

/** Whether an id stands for many names. */
export function isWildcard(id: unknown): boolean {
  return typeof id === "string" && id.endsWith(REST);
}

/** Finds the model that a name is one of; kept of none, so that whoever asks for many fills no memory. */
export function wildcardsOf(models: readonly Model[]): (name: string) => Model | undefined {
  const wild = models.filter(({ id }) => isWildcard(id))
    .map((model) => ({
      model,
      prefix: model.id.slice(0, -REST.length),
      routes: model.routes.map(routeFor),
    }))
    .sort((one, other) => other.prefix.length - one.prefix.length);
  return (name) => {
    const found = wild.find(({ prefix }) => name.length > prefix.length && name.startsWith(prefix));
    if (found === undefined || !longId.safeParse(name).success) return undefined;
    const rest = name.slice(found.prefix.length);
    const routes = found.routes.map((routeOf) => routeOf(name, rest));
    // As if it were in the catalogue by that name.
    return { ...found.model, id: name, aliases: [], routes };
  };
}

/** Makes the route to a name. */
function routeFor({ namedPrices, ...route }: Route): (modelId: string, rest: string) => Route {
  const pricesOf = namedPrices && pricesByName(namedPrices);
  return (modelId, rest) => {
    // A function: `$` in a name means nothing.
    const upstreamModel = route.upstreamModel.replace(REST, () => rest);
    const prices = pricesOf?.(upstreamModel) ?? route.prices;
    return { ...route, modelId, upstreamModel, prices, isWildcard: true };
  };
}

/** Finds what a name costs: by itself, else by its longest beginning that has a price. */
function pricesByName(
  named: readonly NamedPrices[],
): (upstreamModel: string) => PriceVersion | undefined {
  const exact = new Map(
    named.filter(({ isBeginning }) => isBeginning !== true).map((one) => [one.name, one.prices]),
  );
  const beginnings = named.filter(({ isBeginning }) => isBeginning === true)
    .sort((one, other) => other.name.length - one.name.length);
  return (upstreamModel) =>
    exact.get(upstreamModel) ??
      beginnings.find(({ name }) => upstreamModel.startsWith(name))?.prices;
}
