/**
 * What an upstream is asked for that the price may depend on.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import { CONDITIONS, type Terms } from "../domain/terms.ts";

const { wire, usual } = CONDITIONS.serviceTier;

/**
 * The caller's terms after the route's own rules; `undefined` where the upstream is asked for
 * nothing out of the usual.
 */
export function askedTerms(
  terms: Terms | undefined,
  { body: { drop, set, default: given } }: Route,
): Terms | undefined {
  if (drop.includes(wire)) return undefined;
  const tier = set[wire] ?? terms?.serviceTier ?? given[wire];
  const isUsual = typeof tier !== "string" || usual.some((one) => one === tier);
  return isUsual ? undefined : { serviceTier: tier };
}
