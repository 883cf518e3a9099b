/**
 * Tells the log of providers that another version has stored and that this one cannot call.
 *
 * @module
 */

import type { Snapshot } from "../catalog/snapshot.ts";
import { unknownKind } from "../catalog/unserved_routes.ts";
import { kindNamed } from "../providers/kinds.ts";
import type { Log } from "../telemetry/log.ts";

/** A line for each of them. */
export function logUnknownKinds(
  log: Pick<Log, "warn">,
  { catalogue: { providers } }: Pick<Snapshot, "catalogue">,
): void {
  for (const { id, kind } of providers) {
    if (kindNamed(kind) !== undefined) continue;
    log.warn("provider_kind_unknown", {
      provider: id,
      message:
        `Provider '${id}' serves nothing: ${unknownKind(kind)}; start a version that does, ` +
        "or change or remove the provider in the catalogue",
    });
  }
}
