/**
 * Routes: their state and their switches. The switches are the operator's, also
 * where a file owns the catalogue.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { type Catalogue, type Model, RISK_LEVELS, type Route } from "../../domain/catalogue.ts";
import { isPriced } from "../../domain/priced.ts";
import { priceList } from "../../pricing/from_price.ts";
import { shownCount } from "../base/answer_fields.ts";
import { isUnchanged } from "../base/audit_note.ts";
import { commitCatalogue } from "./commit_catalogue.ts";
import type { AdminDeps } from "../base/deps.ts";
import { missingKeysOf } from "./missing_keys.ts";
import { unknownName } from "../base/not_found.ts";
import { oneAtATime } from "../base/one_at_a_time.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { pageAnswer, pageFields, pageOfItems } from "../base/page.ts";
import { shownPrice } from "./shown_price.ts";

/** A route as shown. */
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
    "The provider's keys that have no value, where none has one; references, never values",
  ),
  cooling_seconds: shownCount.describe(
    "Seconds until the route is tried again; 0 unless it is cooling down",
  ),
  cooling_for: z.array(z.string()).describe(
    "The projects that it cools down for, where it does not for others; else empty",
  ),
  enabled: z.boolean(),
  maintenance: z.boolean(),
  risk_level: z.enum(RISK_LEVELS),
  weight: z.number(),
  price: shownPrice.nullable().describe("What projects pay; null when unpriced"),
  success_rate: z.number(),
  price_version: shownCount,
});

/** The value of {@linkcode shownRoute}. */
export type RouteRow = Shown<typeof shownRoute>;

export const listRoutes = defineOperation({
  name: "routes.list",
  method: "GET",
  path: "/routes",
  effects: "reads",
  summary: "Lists routes with their state.",
  input: z.strictObject({
    ...pageFields,
    model: z.string().min(1).optional().describe("only this model's"),
  }),
  output: pageAnswer(shownRoute),
  errors: ["not_found"],
  run(deps, { model, ...page }) {
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

const byRoute = z.strictObject({ route: z.string().min(1).describe("id of the route") });

export const enableRoute = switchOperation("enable", {
  summary: "Lets a route serve again.",
  input: byRoute,
  to: () => ({ enabled: true }),
});

export const disableRoute = switchOperation("disable", {
  summary: "Takes a route out of service; calls under way go on.",
  input: byRoute,
  to: () => ({ enabled: false }),
});

export const maintainRoute = switchOperation("maintenance", {
  summary: "Puts a route into maintenance, or takes it out again.",
  input: byRoute.extend({
    maintenance: z.boolean().default(true).describe("take it out of maintenance")
      .register(optionWords, { option: "off", isOff: true }),
  }),
  to: ({ maintenance }) => ({ maintenance }),
});

function switchOperation<Input extends z.ZodType<{ readonly route: string }>>(
  verb: "enable" | "disable" | "maintenance",
  { summary, input, to }: {
    readonly summary: string;
    readonly input: Input;
    readonly to: (input: z.output<Input>) => Partial<Pick<Route, "enabled" | "maintenance">>;
  },
) {
  const name = `routes.${verb}`;
  return defineOperation({
    name,
    method: "POST",
    path: `/routes/${verb}`,
    effects: "changes",
    summary,
    input,
    output: shownRoute,
    errors: ["not_found"],
    run: (deps, asked) => switchRoute(deps, asked.route, { operation: name, to: to(asked) }),
  });
}

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
    const before = requireRoute(deps, id);
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

/** A route as it is shown now. */
export function routeRow(deps: AdminDeps, model: Model, route: Route): RouteRow {
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
  { health, catalogue }: AdminDeps,
  { model, route, coolingMs, missingKeys }: {
    readonly model: Model;
    readonly route: Route;
    readonly coolingMs: number;
    readonly missingKeys: readonly string[];
  },
): RouteRow["status"] {
  if (catalogue.current.unserved.has(route.id)) return "unserved";
  if (!isPriced(route, model.kind)) return "unpriced";
  if (!route.enabled) return "disabled";
  if (route.maintenance) return "maintenance";
  if (missingKeys.length > 0) return "no_key";
  return coolingMs > 0 ? health.coolingReason(route.id) : "ready";
}
