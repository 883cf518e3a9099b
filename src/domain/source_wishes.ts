/**
 * What a caller says about the sources of a call.
 *
 * @module
 */

import type { RiskLevel } from "./catalogue.ts";

/** `routing_preference` on the wire (section 2.1 of the service specification). */
export const ROUTING_PREFERENCES = [
  "lowest_price",
  "highest_reliability",
  "lowest_latency",
  "official_only",
] as const;

/** One of {@linkcode ROUTING_PREFERENCES}. */
export type RoutingPreference = typeof ROUTING_PREFERENCES[number];

/** The routing fields of a request (section 2.1 of the service specification), checked. */
export interface SourceWishes {
  readonly provider: string | undefined;
  readonly route: string | undefined;
  readonly preference: RoutingPreference | undefined;
  readonly excludeRiskLevels: readonly RiskLevel[];
}
