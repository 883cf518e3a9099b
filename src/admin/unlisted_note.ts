/**
 * What is said of names that a wildcard stands for, and that have no price.
 *
 * @module
 */

import type { Model } from "../domain/catalogue.ts";
import type { RouteRefusal } from "../errors.ts";
import { vendorOf } from "../vendors/presets.ts";
import type { AdminDeps } from "./base/deps.ts";

/** What an operator can do for a name of a wildcard that has no price. */
export function unlistedNote(
  { catalogue: { current } }: AdminDeps,
  { route: id, reason }: RouteRefusal,
  model: Model,
): readonly string[] {
  const route = model.routes.find((one) => one.id === id);
  if (reason !== "unpriced" || route?.isWildcard !== true) return [];
  const vendor = vendorOf(current.provider(route.providerId)!);
  return [
    vendor === undefined
      ? `${id}: its provider is of no vendor that the list of prices knows, so give the route cost`
      : `${id}: put a row for the vendor ${vendor} and the model ${route.upstreamModel} over the ` +
        "list with tollgate prices update (the route needs a markup), or give the route cost",
  ];
}
