/**
 * Entries about batches and their lines.
 *
 * @module
 */

import type { Appliers } from "./applier.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import { FORGOTTEN_ROWS, refuseLiveAnswer } from "./apply_answer.ts";

export const BATCH_APPLIERS: Appliers<
  | "create_batch"
  | "change_batch"
  | "cancel_batch"
  | "put_batch_line"
  | "write_batch_lines"
  | "finish_batch"
> = {
  create_batch(stored, { batch, idempotency }, { batches, answers }) {
    if (stored.balance(batch.projectId) === undefined) return missing("project", batch.projectId);
    if (batches.find(batch.id) !== undefined) {
      return conflict(`Batch '${batch.id}' exists already`);
    }
    const refusal = refuseLiveAnswer(idempotency, answers);
    if (refusal !== undefined) return refusal;
    batches.insert(batch);
    if (idempotency !== undefined) answers.put(idempotency, batch.id);
    return DONE;
  },
  change_batch: (_stored, { batch }, { batches }) =>
    batches.replace(batch) ? DONE : missing("open batch", batch.id),
  cancel_batch: (_stored, { batchId, at }, { batches }) =>
    batches.cancel(batchId, at) ? DONE : missing("open batch", batchId),
  put_batch_line(_stored, { line }, { batches }) {
    if (batches.find(line.batchId) === undefined) return missing("open batch", line.batchId);
    return batches.putLine(line)
      ? DONE
      : conflict(`Line ${line.line} of batch '${line.batchId}' is done already`);
  },
  write_batch_lines(_stored, { batch, lines }, { batches }) {
    if (!batches.replace(batch)) return missing("open batch", batch.id);
    batches.noteWritten(batch.id, lines);
    return DONE;
  },
  finish_batch(_stored, { batch, files }, { batches, uploads }) {
    if (!batches.replace(batch)) return missing("open batch", batch.id);
    for (const file of files) uploads.insert(file);
    // What is more is forgotten in pieces: meanwhile others' calls are written.
    batches.deleteLines(batch.id, FORGOTTEN_ROWS);
    return DONE;
  },
};
