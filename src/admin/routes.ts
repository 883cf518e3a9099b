/**
 * Routes: their state and their switches. The switches are the operator's, also
 * where a file owns the catalogue.
 *
 * @module
 */

import * as z from "zod";
import type { Catalogue, Model, RiskLevel, Route } from "../domain/catalogue.ts";
import { isPriced } from "../domain/priced.ts";
import { type PriceList, priceList } from "../pricing/from_price.ts";
import { isUnchanged } from "./audit_note.ts";
import { commitCatalogue } from "./commit_catalogue.ts";
import type { AdminDeps } from "./deps.ts";
import { missingKeysOf } from "./missing_keys.ts";
import { unknownName } from "./not_found.ts";
import { oneAtATime } from "./one_at_a_time.ts";
import { defineOperation } from "./operation.ts";
import { type Page, pageFields, pageOfItems } from "./page.ts";

/** Whether a route may serve, and if not, why not. */
export type RouteStatus =
  | "ready"
  | "disabled"
  | "maintenance"
  | "unpriced"
  /** None of its provider's keys has a value. */
  | "no_key"
  | "cooling_down"
  | "circuit_open";

/** A route as shown. */
export interface RouteRow {
  readonly id: string;
  readonly model: string;
  readonly provider: string;
  readonly upstream_model: string;
  readonly status: RouteStatus;
  /** The provider's keys that have no value, where none has one; references, never values. */
  readonly missing_keys: readonly string[];
  /** Seconds until the route is tried again; 0 unless it is cooling down. */
  readonly cooling_seconds: number;
  /** The projects that it cools down for, where it does not for others; else empty. */
  readonly cooling_for: readonly string[];
  readonly enabled: boolean;
  readonly maintenance: boolean;
  readonly risk_level: RiskLevel;
  readonly weight: number;
  /** What projects pay; `null` when unpriced. */
  readonly price: PriceList | null;
  readonly success_rate: number;
  readonly price_version: number;
}

export const listRoutes = defineOperation({
  name: "routes.list",
  method: "GET",
  path: "/routes",
  summary: "Lists routes with their state.",
  input: z.strictObject({ model: z.string().min(1).optional(), ...pageFields }),
  run(deps, { model, ...page }): Promise<Page<RouteRow>> {
    const models = model === undefined
      ? deps.catalogue.current.models
      : [requireModel(deps, model)];
    const routes = models.flatMap((owner) =>
      owner.routes.map((route) => ({ id: route.id, owner, route }))
    );
    return Promise.resolve(pageOfItems(routes, {
      ...page,
      show: ({ owner, route }) => routeRow(deps, owner, route),
      what: "route",
    }));
  },
});

const byRoute = z.strictObject({ route: z.string().min(1) });

export const enableRoute = defineOperation({
  name: "routes.enable",
  method: "POST",
  path: "/routes/enable",
  summary: "Lets a route serve again.",
  input: byRoute,
  run: (deps, { route }) =>
    switchRoute(deps, route, { operation: "routes.enable", to: { enabled: true } }),
});

export const disableRoute = defineOperation({
  name: "routes.disable",
  method: "POST",
  path: "/routes/disable",
  summary: "Takes a route out of service; calls under way go on.",
  input: byRoute,
  run: (deps, { route }) =>
    switchRoute(deps, route, { operation: "routes.disable", to: { enabled: false } }),
});

export const maintainRoute = defineOperation({
  name: "routes.maintenance",
  method: "POST",
  path: "/routes/maintenance",
  summary: "Puts a route into maintenance, or takes it out again.",
  input: z.strictObject({ route: z.string().min(1), maintenance: z.boolean().default(true) }),
  run: (deps, { route, maintenance }) =>
    switchRoute(deps, route, { operation: "routes.maintenance", to: { maintenance } }),
});

/**
 * The model of that id or alias.
 *
 * @throws {GatewayError} `not_found`.
 */
export function requireModel({ catalogue }: Pick<AdminDeps, "catalogue">, name: string): Model {
  const { current } = catalogue;
  const model = current.model(name);
  if (model !== undefined) return model;
  throw unknownName("model", name, current.models.flatMap(({ id, aliases }) => [id, ...aliases]));
}

function switchRoute(
  deps: AdminDeps,
  id: string,
  { operation, to }: {
    readonly operation: string;
    readonly to: Partial<Pick<Route, "enabled" | "maintenance">>;
  },
): Promise<RouteRow> {
  return oneAtATime(deps, async () => {
    const { current } = deps.catalogue;
    const before = current.route(id);
    const known = current.models.flatMap(({ routes }) => routes.map((route) => route.id));
    if (before === undefined) throw unknownName("route", id, known);
    const { enabled, maintenance } = { ...before, ...to };
    const switches = {
      before: { enabled: before.enabled, maintenance: before.maintenance },
      after: { enabled, maintenance },
    };
    if (!isUnchanged(switches.before, switches.after)) {
      await commitCatalogue(deps, {
        catalogue: withRoute(current.catalogue, { ...before, enabled, maintenance }),
        change: {
          operation,
          subject: `route:${id}`,
          ...switches,
          entries: [{ kind: "switch_route", routeId: id, enabled, maintenance }],
        },
        refusals: { missing: unknownName("route", id, known).message },
      });
    }
    const model = requireModel(deps, before.modelId);
    return routeRow(deps, model, deps.catalogue.current.route(id)!);
  });
}

function withRoute(catalogue: Catalogue, changed: Route): Catalogue {
  return {
    ...catalogue,
    models: catalogue.models.map((model) =>
      model.id !== changed.modelId ? model : {
        ...model,
        routes: model.routes.map((route) => route.id === changed.id ? changed : route),
      }
    ),
  };
}

function routeRow(deps: AdminDeps, model: Model, route: Route): RouteRow {
  const coolingMs = Math.max(0, deps.health.coolingUntil(route.id) - deps.clock.monotonic());
  const missingKeys = missingKeysOf(deps, route);
  return {
    id: route.id,
    model: model.id,
    provider: route.providerId,
    upstream_model: route.upstreamModel,
    status: statusOf(deps, { model, route, coolingMs, missingKeys }),
    missing_keys: missingKeys,
    cooling_seconds: Math.ceil(coolingMs / 1000),
    cooling_for: coolingMs > 0 ? deps.health.shutProjects(route.id) : [],
    enabled: route.enabled,
    maintenance: route.maintenance,
    risk_level: route.riskLevel,
    weight: route.weight,
    price: priceList(route, model.kind),
    success_rate: Math.round(deps.health.successRate(route.id) * 10_000) / 10_000,
    price_version: route.prices.version,
  };
}

function statusOf(
  { health }: AdminDeps,
  { model, route, coolingMs, missingKeys }: {
    readonly model: Model;
    readonly route: Route;
    readonly coolingMs: number;
    readonly missingKeys: readonly string[];
  },
): RouteStatus {
  if (!isPriced(route, model.kind)) return "unpriced";
  if (!route.enabled) return "disabled";
  if (route.maintenance) return "maintenance";
  if (missingKeys.length > 0) return "no_key";
  return coolingMs > 0 ? health.coolingReason(route.id) : "ready";
}
