/**
 * Whether the tasks of a line can go on.
 *
 * @module
 */

import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Registry } from "../../providers/registry.ts";
import type { HealthView } from "../../routing/route_request.ts";
import type { VideoLine } from "./video_queue.ts";

/** What the answer depends on. */
export interface LineStateDeps {
  readonly catalogue: CatalogueHolder;
  readonly registry: Pick<Registry, "provider">;
  readonly health: HealthView;
  readonly clock: Clock;
}

/**
 * - `open`: attempts may begin.
 * - `closed`: the provider or route is gone, disabled or in maintenance.
 * - a number: the route cools down, until this time of the monotonic clock.
 */
export type LineState = "open" | "closed" | number;

/**
 * A job under way needs nothing but its provider: that its route is switched off
 * only means that no new one is started there.
 */
export function lineState(
  { catalogue, registry, health, clock }: LineStateDeps,
  { route: routeId, provider: providerId, hasJob }: VideoLine,
): LineState {
  const provider = registry.provider(providerId);
  if (hasJob) return provider?.videos === undefined ? "closed" : "open";
  const route = catalogue.current.route(routeId);
  if (provider === undefined || route?.providerId !== providerId) return "closed";
  if (!route.enabled || route.maintenance) return "closed";
  const coolingUntil = health.coolingUntil(routeId);
  return coolingUntil > clock.monotonic() ? coolingUntil : "open";
}
