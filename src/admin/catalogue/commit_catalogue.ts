/**
 * Commits a catalogue and makes it live.
 *
 * @module
 */

import type { Catalogue } from "../../domain/catalogue.ts";
import { GatewayError } from "../../errors.ts";
import { type AuditedChange, commitChange, type Refusals } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";

/** A catalogue to be, and the change that stores it. */
export interface CatalogueChange {
  readonly catalogue: Catalogue;
  readonly change: AuditedChange;
  readonly refusals?: Refusals;
}

/**
 * Stores a change and replaces the catalogue in memory; calls under way keep
 * the one they began with. Providers are made first: settings that cannot work
 * are refused before anything is stored, and no route is ever seen without its
 * provider.
 *
 * @throws {GatewayError}
 */
export async function commitCatalogue(
  deps: Pick<AdminDeps, "registry" | "catalogue" | "commits" | "clock" | "origin" | "act">,
  { catalogue, change, refusals }: CatalogueChange,
): Promise<void> {
  const { registry } = deps;
  const { providers } = deps.catalogue.current.catalogue;
  try {
    registry.update(catalogue.providers);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new GatewayError("invalid_value", `Nothing was changed: ${error.message}`, {
      cause: error,
    });
  }
  try {
    const stored = await commitChange(deps, change, refusals);
    deps.catalogue.swap(stored.catalogue ?? catalogue);
  } catch (error) {
    registry.update(providers);
    throw error;
  }
}
