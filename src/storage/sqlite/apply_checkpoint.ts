/**
 * Entries about archived calls.
 *
 * @module
 */

import type { Entry, EntryResult } from "../ports/entry.ts";
import type { SqliteCheckpointStore } from "./checkpoint_store.ts";
import { conflict, DONE } from "../entries/entry_results.ts";

/** Records a checkpoint. One that reaches beyond the ledger ends as a constraint's error. */
export function applyRecordCheckpoint(
  { checkpoint, document }: Extract<Entry, { readonly kind: "record_checkpoint" }>,
  checkpoints: SqliteCheckpointStore,
): EntryResult {
  const last = checkpoints.list().at(-1);
  if (checkpoint.number !== (last?.number ?? 0) + 1) {
    return conflict(`Checkpoint ${checkpoint.number} does not follow ${last?.number ?? "none"}`);
  }
  checkpoints.insert(checkpoint, document);
  return DONE;
}

/** Hourly sums that are moved in the time that dropping a row of the ledger with its call takes. */
const SUMS_PER_ROW = 4;

/**
 * Drops archived rows, once the hourly sums have their calls: those come from the rows. Then
 * compacts the sums.
 */
export function applyDropArchived(
  { limit }: Extract<Entry, { readonly kind: "drop_archived" }>,
  checkpoints: SqliteCheckpointStore,
): EntryResult {
  if (checkpoints.hasUncovered()) return { ok: true, hasMore: true };
  if (checkpoints.dropOldest(limit) > 0) return { ok: true, hasMore: true };
  if (checkpoints.compactSums(limit * SUMS_PER_ROW)) return { ok: true, hasMore: true };
  return { ok: true, hasMore: checkpoints.dropUnneeded(limit) === limit };
}
