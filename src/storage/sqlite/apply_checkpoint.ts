/**
 * Entries about archived calls.
 *
 * @module
 */

import type { Appliers } from "./applier.ts";
import { conflict, DONE } from "../entries/entry_results.ts";

/** Hourly sums that are moved in the time that dropping a row of the ledger with its call takes. */
const SUMS_PER_ROW = 4;

const NO_RUNS = conflict("Archives of sealed runs are a server's");

export const CHECKPOINT_APPLIERS: Appliers<
  | "record_checkpoint"
  | "record_run_archive"
  | "give_up_run_archive"
  | "restore_run_archive"
  | "drop_archived"
  | "backfill_details"
> = {
  // One that reaches beyond the ledger ends as a constraint's error.
  record_checkpoint(_batch, { checkpoint, document }, { checkpoints }) {
    const last = checkpoints.list().at(-1);
    if (checkpoint.number !== (last?.number ?? 0) + 1) {
      return conflict(`Checkpoint ${checkpoint.number} does not follow ${last?.number ?? "none"}`);
    }
    checkpoints.insert(checkpoint, document);
    return DONE;
  },
  record_run_archive: () => NO_RUNS,
  give_up_run_archive: () => NO_RUNS,
  restore_run_archive: () => NO_RUNS,
  // Rows go once the hourly sums have their calls: those come from the rows. Then sums are compacted.
  drop_archived(_batch, { limit }, { checkpoints, sums }) {
    const hasMore = checkpoints.hasUncovered() || sums.backfillDetails(limit) ||
      checkpoints.dropOldest(limit) > 0 ||
      checkpoints.compactSums(limit * SUMS_PER_ROW) || checkpoints.dropUnneeded(limit) === limit;
    return { ok: true, hasMore };
  },
  backfill_details: (_batch, { limit }, { sums }) => ({
    ok: true,
    hasMore: sums.backfillDetails(limit),
  }),
};
