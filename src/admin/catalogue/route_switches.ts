/**
 * The switches of routes. They are the operator's, also where a file owns the catalogue.
 *
 * @module
 */

import * as z from "zod";
import type { Catalogue, Route } from "../../domain/catalogue.ts";
import { isUnchanged, oneAtATime } from "../base/commit_change.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { commitCatalogue } from "./commit_catalogue.ts";
import { requireRoute, routeRow, shownRoute } from "./routes.ts";

const byRoute = z.strictObject({ route: z.string().min(1).describe("id of the route") });

export const enableRoute = switchOperation("enable", {
  summary: "Let a route serve again.",
  input: byRoute,
  to: () => ({ enabled: true }),
});

export const disableRoute = switchOperation("disable", {
  summary: "Take a route out of service; calls under way go on.",
  input: byRoute,
  to: () => ({ enabled: false }),
});

export const maintainRoute = switchOperation("maintenance", {
  summary: "Put a route into maintenance, or take it out again.",
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
  return defineOperation({
    name: `routes.${verb}`,
    method: "POST",
    path: `/routes/${verb}`,
    role: "operator",
    changes: "route",
    summary,
    input,
    output: shownRoute,
    errors: ["not_found"],
    run: (deps, asked) =>
      oneAtATime(deps, async () => {
        const route = requireRoute(deps, asked.route);
        const before = { enabled: route.enabled, maintenance: route.maintenance };
        const after = { ...before, ...to(asked) };
        if (!isUnchanged(before, after)) {
          await commitCatalogue(deps, {
            catalogue: withRoute(deps.catalogue.current.catalogue, { ...route, ...after }),
            change: {
              id: route.id,
              before,
              after,
              entries: [{ kind: "switch_route", routeId: route.id, ...after }],
            },
          });
        }
        return routeRow(deps, deps.catalogue.current.route(route.id)!);
      }),
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
