/**
 * The switches of routes. They are the operator's, also where a file owns the catalogue.
 *
 * @module
 */

import * as z from "zod";
import type {
  Catalogue,
  Route,
  RouteSwitches,
  SwitchedOff,
  SwitchesOff,
} from "../../domain/catalogue.ts";
import { GatewayError } from "../../errors.ts";
import { isUnchanged, oneAtATime } from "../base/commit_change.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { reasonField } from "../base/reason_field.ts";
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
  input: byRoute.extend({ reason: reasonField.optional() }),
  to: () => ({ enabled: false }),
});

export const maintainRoute = switchOperation("maintenance", {
  summary: "Put a route into maintenance, or take it out again.",
  input: byRoute.extend({
    maintenance: z.boolean().default(true).describe("take it out of maintenance")
      .register(optionWords, { option: "off", isOff: true }),
    reason: reasonField.optional(),
  }),
  to: ({ maintenance }) => ({ maintenance }),
});

function switchOperation<
  Input extends z.ZodType<{ readonly route: string; readonly reason?: string | undefined }>,
>(
  verb: "enable" | "disable" | "maintenance",
  { summary, input, to }: {
    readonly summary: string;
    readonly input: Input;
    readonly to: (input: z.output<Input>) => Partial<RouteSwitches>;
  },
) {
  const which = verb === "maintenance" ? "maintenance" : "disabled";
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
      oneAtATime(deps, async (deps) => {
        const { switchedOff, ...route } = requireRoute(deps, asked.route);
        const switches = { enabled: route.enabled, maintenance: route.maintenance, ...to(asked) };
        const isOff = which === "maintenance" ? switches.maintenance : !switches.enabled;
        if (asked.reason !== undefined && !isOff) throw needlessReason();
        const before = wordsOf({ ...route, switchedOff }, which);
        const reason = isOff ? asked.reason ?? before.reason : null;
        const after = { ...switches, reason };
        if (!isUnchanged(before, after)) {
          const since = switchedOff?.[which]?.since ?? deps.clock.now();
          const notes = withNote(switchedOff, which, isOff ? { reason, since } : undefined);
          const changed = { ...route, ...switches, ...notes };
          await commitCatalogue(deps, {
            catalogue: withRoute(deps.catalogue.current.catalogue, changed),
            change: {
              id: route.id,
              before,
              after,
              entries: [{ kind: "switch_route", routeId: route.id, ...switches, ...notes }],
            },
          });
        }
        return routeRow(deps, deps.catalogue.current.route(route.id)!);
      }),
  });
}

/** A route's switches for the audit log, with what was said of one. */
function wordsOf({ enabled, maintenance, switchedOff }: Route, which: keyof SwitchesOff) {
  return { enabled, maintenance, reason: switchedOff?.[which]?.reason ?? null };
}

/** What is said of the switches once one is set; nothing where nothing is. */
function withNote(
  before: SwitchesOff | undefined,
  which: keyof SwitchesOff,
  note: SwitchedOff | undefined,
): Pick<Route, "switchedOff"> {
  const { [which]: _before, ...others } = before ?? {};
  const switchedOff = note === undefined ? others : { ...others, [which]: note };
  return Object.keys(switchedOff).length === 0 ? {} : { switchedOff };
}

/** A reason is shown for as long as the route is off. */
function needlessReason(): GatewayError {
  return new GatewayError(
    "invalid_value",
    "A reason is kept of what is switched off: leave it out to take a route out of maintenance",
    { param: "reason" },
  );
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
