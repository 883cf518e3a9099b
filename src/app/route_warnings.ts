/**
 * Models that no route serves now, for whoever watches the gateway.
 *
 * @module
 */

import type { Snapshot } from "../catalog/snapshot.ts";
import type { Model, Route } from "../domain/catalogue.ts";
import { faultWords } from "../domain/upstream_error.ts";
import { isPriced } from "../domain/rates_for.ts";
import type { HealthView } from "../routing/route_request.ts";

/** Models, and routes of one, that are named; the rest is counted. */
const MOST_NAMED = 5;

/** A sentence for each model all of whose routes are down; what is switched off was meant so. */
export function routeWarnings(
  { catalogue: { models }, unserved }: Pick<Snapshot, "catalogue" | "unserved">,
  health: Pick<HealthView, "isDown" | "coolingFault">,
): readonly string[] {
  const down = models.filter((model) => {
    const routes = inUse(model);
    return routes.length > 0 && routes.every(({ id }) => unserved.has(id) || health.isDown(id));
  });
  const warnings = down.slice(0, MOST_NAMED).map((model) => {
    const routes = inUse(model).map(({ id }) => {
      const fault = health.coolingFault(id);
      const why = unserved.get(id)?.detail ??
        (fault === undefined ? "its last attempts failed" : faultWords(fault));
      return `${id} (${why})`;
    });
    return `model '${model.id}' cannot be served now: ${named(routes)}`;
  });
  const more = down.length - warnings.length;
  return more === 0 ? warnings : [...warnings, `nor can ${more} more models`];
}

function inUse({ routes, kind }: Model): readonly Route[] {
  return routes.filter((route) => route.enabled && !route.maintenance && isPriced(route, kind));
}

function named(routes: readonly string[]): string {
  const few = routes.slice(0, MOST_NAMED).join(", ");
  return routes.length > MOST_NAMED ? `${few} and ${routes.length - MOST_NAMED} more` : few;
}
