/**
 * Routes: their state, and their settings with their prices.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { type Model, RISK_LEVELS, type Route } from "../../domain/catalogue.ts";
import { hasNamedPrices, isPriced } from "../../domain/rates_for.ts";
import { priceList } from "../../pricing/from_price.ts";
import { shownCount, shownTime, timeToJson } from "../base/fields.ts";
import type { AdminDeps } from "../base/deps.ts";
import { shownText } from "../base/shown_path.ts";
import { GatewayError } from "../../errors.ts";
import { replacePart, withoutPart } from "./merge_settings.ts";
import { missingKeysOf, requireModel } from "./models.ts";
import { pieceOperations } from "./piece_operations.ts";
import { unknownName } from "../base/not_found.ts";
import { priceListSchema } from "../../pricing/price_list.ts";

export const shownRoute = z.object({
  id: z.string(),
  model: z.string(),
  provider: z.string(),
  upstream_model: z.string(),
  status: z.enum([
    "ready",
    "disabled",
    "maintenance",
    "unpriced",
    "unserved",
    "no_key",
    "cooling_down",
    "circuit_open",
  ]).describe(
    "Whether it may serve, and if not, why not; unserved: its provider cannot; no_key: no key has a value",
  ),
  missing_keys: z.array(z.string()).describe(
    "The provider's keys that have no value, where none has one; references, never values; " +
      "files whole for those who run the gateway, else by their names",
  ),
  cooling_seconds: shownCount.describe(
    "Seconds until the route is tried again; 0 unless it is cooling down",
  ),
  cooling_for: z.array(z.string()).describe(
    "The projects that it cools down for, where it does not for others; else empty",
  ),
  enabled: z.boolean(),
  maintenance: z.boolean(),
  switched_off: z.array(z.object({
    switch: z.enum(["disabled", "maintenance"]),
    reason: z.string().nullable().describe("The operator's words, which callers never see"),
    since: shownTime,
  })).optional().describe(
    "What operators have switched off; of what the catalogue says to be off nothing. Servers of earlier versions leave it out",
  ),
  risk_level: z.enum(RISK_LEVELS),
  priority: z.int(),
  weight: z.number(),
  price: priceListSchema.nullable().describe("What projects pay; null when unpriced"),
  success_rate: z.number(),
  price_version: shownCount,
});

export type RouteRow = Shown<typeof shownRoute>;

/**
 * The route of that id.
 *
 * @throws {GatewayError} `not_found`.
 */
export function requireRoute({ catalogue }: Pick<AdminDeps, "catalogue">, id: string): Route {
  const { current } = catalogue;
  const route = current.route(id);
  if (route !== undefined) return route;
  throw unknownName(
    "route",
    id,
    current.models.flatMap(({ routes }) => routes.map((one) => one.id)),
  );
}

export function routeRow(deps: AdminDeps, route: Route): RouteRow {
  const model = deps.catalogue.current.model(route.modelId)!;
  const coolingMs = Math.max(0, deps.health.coolingUntil(route.id) - deps.clock.monotonic());
  const missingKeys = missingKeysOf(deps, route);
  return {
    id: route.id,
    model: model.id,
    provider: route.providerId,
    upstream_model: route.upstreamModel,
    status: statusOf(deps, { model, route, coolingMs, missingKeys }),
    missing_keys: missingKeys.map((key) => shownText(deps.origin, key)),
    cooling_seconds: Math.ceil(coolingMs / 1000),
    cooling_for: coolingMs > 0 ? deps.health.shutProjects(route.id) : [],
    enabled: route.enabled,
    maintenance: route.maintenance,
    switched_off: switchedOffOf(route),
    risk_level: route.riskLevel,
    priority: route.priority,
    weight: route.weight,
    price: priceList(route, model.kind),
    success_rate: Math.round(deps.health.successRate(route.id) * 10_000) / 10_000,
    price_version: route.prices.version,
  };
}

/** What operators have switched off, and why. */
export function switchedOffOf({ switchedOff = {} }: Route): RouteRow["switched_off"] & object {
  return (["disabled", "maintenance"] as const).flatMap((one) => {
    const note = switchedOff[one];
    if (note === undefined) return [];
    return [{ switch: one, reason: note.reason, since: timeToJson(note.since) }];
  });
}

function statusOf(
  { health, catalogue }: AdminDeps,
  { model, route, coolingMs, missingKeys }: {
    readonly model: Model;
    readonly route: Route;
    readonly coolingMs: number;
    readonly missingKeys: readonly string[];
  },
): RouteRow["status"] {
  if (catalogue.current.unserved.has(route.id)) return "unserved";
  if (!isPriced(route, model.kind) && !hasNamedPrices(route)) return "unpriced";
  if (!route.enabled) return "disabled";
  if (route.maintenance) return "maintenance";
  if (missingKeys.length > 0) return "no_key";
  return coolingMs > 0 ? health.coolingReason(route.id) : "ready";
}

export const { list: listRoutes, show: showRoute, set: setRoute, delete: deleteRoute } =
  pieceOperations("route", {
    summaries: {
      list: "List routes with their state.",
      show:
        "Show a route's state, with its settings as a catalogue file has them and their version.",
      set: "Add a route, or change the given settings of one; changed prices are a new version.",
      delete: "Delete a route; calls under way go on.",
    },
    all(deps, model) {
      const { models } = deps.catalogue.current;
      const owners = model === undefined ? models : [requireModel(deps, model)];
      return owners.flatMap(({ routes }) => routes);
    },
    shown: shownRoute,
    row: routeRow,
    require: requireRoute,
    put(document, { model: given, ...part }) {
      // Whoever replaces settings and names no model keeps that.
      const owner = given ??
        document.models.find(({ routes }) => routes.some(({ id }) => id === part.id))?.id;
      if (!document.models.some(({ id }) => id === owner)) throw withoutModel(part.id, owner);
      const models = document.models.map((model) => ({
        ...model,
        routes: model.id === owner
          ? replacePart(model.routes, part)
          : withoutPart(model.routes, part.id),
      }));
      return { ...document, models };
    },
    warn({ catalogue }, id, settings) {
      const route = catalogue.current.route(id);
      if (route === undefined) return [];
      const { enabled, maintenance } = settings;
      const stays = (state: string, command: string) =>
        `Route ${id} stays ${state}, as it was switched since: tollgate routes ${command}`;
      return [
        ...(enabled === true && !route.enabled ? [stays("disabled", `enable ${id}`)] : []),
        ...(enabled === false && route.enabled ? [stays("enabled", `disable ${id}`)] : []),
        ...(maintenance === true && !route.maintenance
          ? [stays("out of maintenance", `maintenance ${id}`)]
          : []),
        ...(maintenance === false && route.maintenance
          ? [stays("in maintenance", `maintenance ${id} --off`)]
          : []),
      ];
    },
    without: (document, id) => ({
      ...document,
      models: document.models.map((model) => ({ ...model, routes: withoutPart(model.routes, id) })),
    }),
  });

function withoutModel(id: string, model: unknown): GatewayError {
  const why = model === undefined
    ? "say which model it serves"
    : `there is no model '${model}': make it first with \`tollgate models set ${model} --kind KIND\``;
  return new GatewayError("invalid_value", `Cannot set route '${id}': ${why}`, {
    param: "settings.model",
  });
}
