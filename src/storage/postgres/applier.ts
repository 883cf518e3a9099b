/**
 * How an entry is applied inside the running transaction.
 *
 * @module
 */

import type { Entry, EntryResult } from "../ports/entry.ts";
import type { Batch } from "./batch.ts";
import type { PostgresStores } from "./stores.ts";

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
    stores: PostgresStores,
  ) => Promise<EntryResult>;
};
