/**
 * A caller who leaves the choice of a source to the gateway.
 *
 * @module
 */

import type { SourceWishes } from "../../src/domain/request_facts.ts";

/** The routing fields of a request that has none. */
export const NO_WISHES: SourceWishes = {
  provider: undefined,
  route: undefined,
  preference: undefined,
  excludeRiskLevels: [],
};
