/**
 * Tells of secrets of providers that are configured and have no value: in the log, and to whoever
 * watches the gateway.
 *
 * @module
 */

import type { AdminDeps } from "../admin/base/deps.ts";
import { missingSecrets, publicWarnings } from "../admin/catalogue/secret_warnings.ts";
import type { Log } from "../telemetry/log.ts";

/** Providers that are named; the rest is counted. */
const MOST_NAMED = 5;

type Seen = Pick<AdminDeps, "process" | "system" | "catalogue">;

/** A line for each of them. */
export function logMissingSecrets(log: Pick<Log, "warn">, deps: Seen): void {
  for (const { provider, reference, warning } of missing(deps)) {
    log.warn("secret_missing", { provider, reference, message: warning });
  }
}

/** A sentence for each of the first few providers, and one for the others: whoever asks is anybody. */
export function missingSecretWarnings(deps: Seen): readonly string[] {
  const warnings = publicWarnings(missing(deps));
  const more = warnings.length - MOST_NAMED;
  return more <= 0
    ? warnings
    : [...warnings.slice(0, MOST_NAMED), `nor has it all of those of ${more} more providers`];
}

function missing(deps: Seen) {
  return missingSecrets(deps, deps.catalogue.current.catalogue.providers);
}
