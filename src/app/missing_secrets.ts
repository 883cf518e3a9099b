/**
 * Tells of secrets of providers that are configured and have no value: in the log, and to whoever
 * watches the gateway.
 *
 * @module
 */

import type { AdminDeps } from "../admin/deps.ts";
import { missingSecrets } from "../admin/secret_warnings.ts";
import type { Log } from "../telemetry/log.ts";

/** Secrets that are named; the rest is counted. */
const MOST_NAMED = 5;

type Seen = Pick<AdminDeps, "process" | "system" | "catalogue">;

/** A line for each of them. */
export function logMissingSecrets(log: Pick<Log, "warn">, deps: Seen): void {
  for (const { provider, reference, warning } of missing(deps)) {
    log.warn("secret_missing", { provider, reference, message: warning });
  }
}

/** A sentence for each of the first few, and one for the others. */
export function missingSecretWarnings(deps: Seen): readonly string[] {
  const warnings = missing(deps).map(({ warning }) => warning);
  const more = warnings.length - MOST_NAMED;
  return more <= 0
    ? warnings
    : [...warnings.slice(0, MOST_NAMED), `nor has it one for ${more} more references`];
}

function missing(deps: Seen) {
  return missingSecrets(deps, deps.catalogue.current.catalogue.providers);
}
