/**
 * What operators have said of a route that they switched off, for other operators alone: callers are
 * told that it is off, and no more.
 *
 * @module
 */

import type { Model } from "../../domain/catalogue.ts";
import type { RouteRefusal } from "../../errors.ts";

/** Refusals of a model's routes, with since when and why those are off that an operator switched. */
export function withReasons(
  rejected: readonly RouteRefusal[],
  { routes }: Model,
): readonly RouteRefusal[] {
  return rejected.map((refused) => {
    const { reason } = refused;
    if (reason !== "disabled" && reason !== "maintenance") return refused;
    const said = routes.find(({ id }) => id === refused.route)?.switchedOff?.[reason];
    if (said === undefined) return refused;
    const since = `since ${new Date(said.since).toISOString()}`;
    return { ...refused, detail: said.reason === null ? since : `${since}: ${said.reason}` };
  });
}
