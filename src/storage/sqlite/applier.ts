/**
 * How an entry is applied inside the running transaction.
 *
 * @module
 */

import type { Entry, EntryResult } from "../ports/entry.ts";
import type { SqliteAccountStore } from "./account_store.ts";
import type { SqliteAnswerStore } from "./answer_store.ts";
import type { SqliteAuditStore } from "./audit_store.ts";
import type { Batch } from "./batch.ts";
import type { SqliteBatchStore } from "./batch_store.ts";
import type { SqliteCachedAnswerStore } from "./cached_answer_store.ts";
import type { SqliteCatalogueStore } from "./catalogue_store.ts";
import type { SqliteCheckpointStore } from "./checkpoint_store.ts";
import type { SqliteKeptStore } from "./kept_store.ts";
import type { SqliteRefusalStore } from "./refusal_store.ts";
import type { SqliteResponseStore } from "./response_store.ts";
import type { SqliteSessionStore } from "./session_store.ts";
import type { SqliteSpendStore } from "./spend_store.ts";
import type { SqliteSumStore } from "./sum_store.ts";
import type { SqliteTokenStore } from "./token_store.ts";
import type { SqliteUploadStore } from "./upload_store.ts";
import type { SqliteVideoStore } from "./video_store.ts";
import type { SqliteWebhookStore } from "./webhook_store.ts";

/** The stores that entries are written to. */
export interface EntryStores {
  readonly accounts: SqliteAccountStore;
  readonly answers: SqliteAnswerStore;
  readonly audit: SqliteAuditStore;
  readonly batches: SqliteBatchStore;
  readonly cached: SqliteCachedAnswerStore;
  readonly catalogue: SqliteCatalogueStore;
  readonly checkpoints: SqliteCheckpointStore;
  readonly kept: SqliteKeptStore;
  readonly refusals: SqliteRefusalStore;
  readonly responses: SqliteResponseStore;
  readonly sessions: SqliteSessionStore;
  readonly spending: SqliteSpendStore;
  readonly sums: SqliteSumStore;
  readonly tokens: SqliteTokenStore;
  readonly uploads: SqliteUploadStore;
  readonly videos: SqliteVideoStore;
  readonly webhooks: SqliteWebhookStore;
}

/** The entries of a kind. */
export type EntryOf<Kind extends Entry["kind"]> = Extract<Entry, { readonly kind: Kind }>;

/**
 * What each of some kinds does. A refusal has written nothing. An error, which a broken constraint or
 * a late refusal throws, leaves the transaction to be rolled back by the caller.
 */
export type Appliers<Kinds extends Entry["kind"]> = {
  readonly [Kind in Kinds]: (
    batch: Batch,
    entry: EntryOf<Kind>,
    stores: EntryStores,
  ) => EntryResult;
};
