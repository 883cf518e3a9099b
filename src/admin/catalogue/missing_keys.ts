/**
 * Routes that cannot serve, as their provider has no key to be called with.
 *
 * @module
 */

import type { Route } from "../../domain/catalogue.ts";
import type { AdminDeps } from "../base/deps.ts";

/**
 * The keys of a route's provider, by their references, where the running server has a value for
 * none of them; else nothing, as in a command, whose environment is another one.
 */
export function missingKeysOf(
  { registry, process }: Pick<AdminDeps, "registry" | "process">,
  { providerId }: Pick<Route, "providerId">,
): readonly string[] {
  if (process.kind !== "server") return [];
  const states = registry.provider(providerId)?.keyStates() ?? [];
  return states.every(({ state }) => state === "no_value") ? states.map(({ key }) => key) : [];
}
