/**
 * Whether the tasks of a project in a line can go on.
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

/** Its route may be shut for one project's tasks alone. */
export function lineState(
  deps: LineStateDeps,
  line: VideoLine & { readonly projectId: string },
): LineState {
  if (isLineClosed(deps, line)) return "closed";
  if (line.hasJob) return "open";
  const coolingUntil = deps.health.coolingUntil(line.route, line.projectId);
  return coolingUntil > deps.clock.monotonic() ? coolingUntil : "open";
}

/**
 * Whether a line is closed, whosever its tasks are: with thousands of projects in it, each need
 * not be asked about.
 *
 * A job under way needs nothing but its provider: that its route is switched off
 * only means that no new one is started there.
 */
export function isLineClosed(
  deps: Pick<LineStateDeps, "catalogue" | "registry">,
  line: VideoLine,
): boolean {
  const { catalogue, registry } = deps;
  if (line.hasJob) return registry.provider(line.provider)?.videos === undefined;
  const route = catalogue.current.route(line.route);
  if (route === undefined || isRouteGone(deps, line)) return true;
  return !route.enabled || route.maintenance;
}

/** Whether a route is no more in the catalogue, or its provider. */
export function isRouteGone(
  { catalogue, registry }: Pick<LineStateDeps, "catalogue" | "registry">,
  { route, provider }: Pick<VideoLine, "route" | "provider">,
): boolean {
  return registry.provider(provider) === undefined ||
    catalogue.current.route(route)?.providerId !== provider;
}
