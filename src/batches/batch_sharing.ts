/**
 * What batches need where several processes use one database: whose work they are, and how their files
 * come to whoever works on them.
 *
 * @module
 */

import { type Batch, isOpenBatch } from "../domain/batch.ts";
import type { UploadedFile } from "../domain/uploaded_file.ts";
import type { LeftBatch, SharedBatches } from "../storage/ports/shared_batches.ts";

/** Who waits for files, and what room there is for them. */
export interface BringOptions {
  /** Fires when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Whether the disk has room for so many bytes more. */
  readonly hasDiskFor: (bytes: number) => boolean;
}

/** How files of batches come into this process's folder and out of it. */
export interface BatchPlace {
  /** Whether this process can go on with a batch: what it needs is here, or can be had, or nobody has it. */
  canGoOn(batch: LeftBatch): Promise<boolean>;
  /**
   * Has a batch's input in the folder until {@linkcode clear}.
   *
   * @throws {Deno.errors.NotFound} Where it was deleted.
   * @throws An error of code `ENOSPC` where the disk has no room for it.
   */
  bring(batch: Pick<Batch, "id" | "inputFileId">, options: BringOptions): Promise<void>;
  /** Keeps what a batch has written to the folder where all can read it; it is there to stay when this resolves. */
  keep(files: readonly UploadedFile[], signal: AbortSignal): Promise<readonly UploadedFile[]>;
  /** Removes from the folder what was there for the sake of a batch's work alone, once that has ended. */
  clear(batch: Batch): Promise<void>;
}

/**
 * Makes this session's work what is no living session's, as far as it can go on with it: the rest waits for
 * whoever has its files.
 */
export async function adoptLeft(batches: SharedBatches, place: BatchPlace): Promise<void> {
  const adopted: string[] = [];
  for (const batch of await batches.left()) {
    if (await place.canGoOn(batch)) adopted.push(batch.id);
  }
  if (adopted.length > 0) await batches.adopt(adopted);
}

/** A batch that others work on, with what has become of its lines so far: more than its row says. */
export async function counted(
  found: readonly Batch[],
  batches: SharedBatches,
): Promise<readonly Batch[]> {
  const open = found.filter(isOpenBatch);
  if (open.length === 0) return found;
  const counts = await batches.counts(open.map(({ id }) => id));
  return found.map((batch) => {
    const known = isOpenBatch(batch) ? counts.get(batch.id) : undefined;
    return known === undefined ? batch : { ...batch, counts: known };
  });
}
