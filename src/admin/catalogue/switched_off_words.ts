/**
 * What operators have said of a route that they switched off, for other operators alone: callers are
 * told that it is off, and no more.
 *
 * @module
 */

import type { Model } from "../../domain/catalogue.ts";
import { switchWords } from "../../domain/switched_off.ts";
import type { RouteRefusal } from "../../errors.ts";

/** Refusals of a model's routes, with since when and why those are off that an operator switched. */
export function withReasons(
  rejected: readonly RouteRefusal[],
  { routes }: Model,
): readonly RouteRefusal[] {
  return rejected.map((refused) => {
    const route = routes.find(({ id }) => id === refused.route);
    const detail = route && switchWords(route, refused.reason);
    return detail === undefined ? refused : { ...refused, detail };
  });
}
