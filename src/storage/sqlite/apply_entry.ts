/**
 * Applies one entry inside the running transaction.
 *
 * @module
 */

import type { Entry, EntryResult } from "../ports/entry.ts";
import type { SqliteAccountStore } from "./account_store.ts";
import { applyForget, applyStoreAnswer } from "./apply_answer.ts";
import {
  applyCreateKey,
  applyCreateProject,
  applyCredit,
  applyDeleteKey,
  applyUpdateKey,
  applyUpdateProject,
} from "./apply_account.ts";
import { applyAudited } from "./apply_audited.ts";
import { applyClose, applyHold, applyRehold } from "./apply_call.ts";
import {
  applyChangeResponse,
  applyDeleteResponse,
  applyEvictResponses,
  applyPutResponse,
  keepResponse,
} from "./apply_response.ts";
import type { SqliteResponseStore } from "./response_store.ts";
import {
  applyChangeVideo,
  applyCreateVideo,
  applyDeleteVideo,
  type VideoStores,
} from "./apply_video.ts";
import { applyChangeWebhook, applyPutWebhookSecret } from "./apply_webhook.ts";
import type { SqliteAuditStore } from "./audit_store.ts";
import { applyDropArchived, applyRecordCheckpoint } from "./apply_checkpoint.ts";
import type { Batch } from "./batch.ts";
import type { SqliteCatalogueStore } from "./catalogue_store.ts";
import type { SqliteCheckpointStore } from "./checkpoint_store.ts";
import { DONE, missing } from "../entries/entry_results.ts";
import type { SqliteKeptStore } from "./kept_store.ts";
import type { SqliteSessionStore } from "./session_store.ts";
import type { SqliteSpendStore } from "./spend_store.ts";

/** The stores that entries are written to. */
export interface EntryStores extends VideoStores {
  readonly accounts: SqliteAccountStore;
  readonly catalogue: SqliteCatalogueStore;
  readonly checkpoints: SqliteCheckpointStore;
  readonly responses: SqliteResponseStore;
  readonly kept: SqliteKeptStore;
  readonly sessions: SqliteSessionStore;
  readonly spending: SqliteSpendStore;
  readonly audit: SqliteAuditStore;
}

/**
 * The result of an entry; a refusal has written nothing. An error, which a broken
 * constraint or a late refusal throws, leaves the transaction to be rolled back by
 * the caller.
 */
export function applyEntry(batch: Batch, entry: Entry, stores: EntryStores): EntryResult {
  switch (entry.kind) {
    case "hold":
      return applyHold(batch, entry.call);
    case "rehold":
      return applyRehold(batch, entry.call);
    case "close":
      return applyCloseAndKeep(batch, entry, stores);
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
      return applyDeleteKey(entry.keyId, stores);
    case "put_spend_state":
      stores.spending.putState(entry.state);
      return DONE;
    case "write_catalogue":
      return { ok: true, catalogue: stores.catalogue.write(entry.catalogue, entry.at) };
    case "switch_route": {
      const { routeId, enabled, maintenance } = entry;
      return stores.catalogue.switchRoute(routeId, enabled, maintenance)
        ? DONE
        : missing("route", routeId);
    }
    case "create_video":
      return applyCreateVideo(batch, entry, stores);
    case "change_video":
      return applyChangeVideo(batch, entry, stores);
    case "delete_video":
      return applyDeleteVideo(batch, entry, stores);
    case "change_webhook":
      return applyChangeWebhook(entry.message, stores.webhooks);
    case "put_webhook_secret":
      return applyPutWebhookSecret(batch, entry.secret, stores.webhooks);
    case "store_answer":
      return applyStoreAnswer(entry, stores);
    case "put_response":
      return applyPutResponse(entry, stores);
    case "change_response":
      return applyChangeResponse(entry.response, stores.responses);
    case "delete_response":
      return applyDeleteResponse(entry, stores);
    case "evict_responses":
      return applyEvictResponses(entry, stores.responses);
    case "forget":
      return applyForget(entry, stores);
    case "record_checkpoint":
      return applyRecordCheckpoint(entry, stores.checkpoints);
    case "drop_archived":
      return applyDropArchived(entry, stores.checkpoints);
    case "audited":
      return applyAudited(batch, entry, {
        audit: stores.audit,
        apply: (change) => applyEntry(batch, change, stores),
      });
  }
}

function applyCloseAndKeep(
  batch: Batch,
  entry: Extract<Entry, { readonly kind: "close" }>,
  { responses, answers }: EntryStores,
): EntryResult {
  const result = applyClose(batch, entry);
  if (!result.ok) return result;
  const { response, idempotency } = entry;
  if (response !== undefined) keepResponse(response, responses);
  // Whatever the key stood for: a call that ended is never refused for the sake of its answer.
  if (idempotency !== undefined) answers.put(idempotency, response?.id);
  return result;
}
