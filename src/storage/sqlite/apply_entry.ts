/**
 * Applies one entry inside the running transaction.
 *
 * @module
 */

import type { Entry, EntryResult } from "../ports/entry.ts";
import type { SqliteAccountStore } from "./account_store.ts";
import {
  applyCreateKey,
  applyCreateProject,
  applyCredit,
  applyDeleteKey,
  applyUpdateKey,
  applyUpdateProject,
} from "./apply_account.ts";
import { applyClose, applyHold, applyRehold } from "./apply_call.ts";
import type { Batch } from "./batch.ts";
import type { SqliteCatalogueStore } from "./catalogue_store.ts";
import { DONE, missing } from "./entry_results.ts";

/** The stores that entries are written to. */
export interface EntryStores {
  readonly accounts: SqliteAccountStore;
  readonly catalogue: SqliteCatalogueStore;
}

/**
 * The result of an entry; a refusal has written nothing. An error that a
 * constraint throws leaves the transaction to be rolled back by the caller.
 */
export function applyEntry(batch: Batch, entry: Entry, stores: EntryStores): EntryResult {
  switch (entry.kind) {
    case "hold":
      return applyHold(batch, entry.call);
    case "rehold":
      return applyRehold(batch, entry.call);
    case "close":
      return applyClose(batch, entry);
    case "credit":
      return applyCredit(batch, entry);
    case "create_project":
      return applyCreateProject(batch, { project: entry.project, accounts: stores.accounts });
    case "update_project":
      return applyUpdateProject(entry.project, stores.accounts);
    case "create_key":
      return applyCreateKey(entry.key, stores.accounts);
    case "update_key":
      return applyUpdateKey(entry.key, stores.accounts);
    case "delete_key":
      return applyDeleteKey(entry.keyId, stores.accounts);
    case "write_catalogue":
      return { ok: true, catalogue: stores.catalogue.write(entry.catalogue, entry.at) };
    case "switch_route": {
      const { routeId, enabled, maintenance } = entry;
      return stores.catalogue.switchRoute(routeId, enabled, maintenance)
        ? DONE
        : missing("route", routeId);
    }
  }
}
