/**
 * What batches need where several processes use one database: whose work they are, and how their files
 * come to whoever works on them.
 *
 * @module
 */

import type { Batch } from "../domain/batch.ts";
import type { UploadedFile } from "../domain/uploaded_file.ts";
import type { SharedBatches } from "../storage/ports/shared_batches.ts";

/**
 * How files of batches come into this process's folder and out of it. What becomes of lines stays in the
 * database until their batch ends, so that another process can go on with it.
 */
export interface BatchPlace {
  /** Whether this process can read a batch's input, or knows that nobody can. */
  canRead(inputFileId: string): Promise<boolean>;
  /**
   * Has a batch's input in the folder until {@linkcode clear}.
   *
   * @throws {Deno.errors.NotFound} Where it was deleted.
   */
  bring(batch: Pick<Batch, "id" | "inputFileId">): Promise<void>;
  /** Keeps what a batch has written to the folder where all can read it; it is there to stay when this resolves. */
  keep(files: readonly UploadedFile[]): Promise<readonly UploadedFile[]>;
  /** Removes from the folder what was there for the sake of a batch's work alone. */
  clear(batch: Batch): Promise<void>;
}

/** Both. */
export interface BatchSharing {
  readonly batches: SharedBatches;
  readonly place: BatchPlace;
}

/**
 * Makes this session's work what is no living session's, as far as it can go on with it: nobody else could
 * read the input of the rest, which waits for whoever has it. One that has come to its end needs no input.
 */
export async function adoptLeft({ batches, place }: BatchSharing, now: number): Promise<void> {
  const adopted: string[] = [];
  for (const { id, inputFileId, status, expiresAt } of await batches.left()) {
    const needsInput = (status === "validating" || status === "in_progress") && expiresAt > now;
    if (!needsInput || await place.canRead(inputFileId)) adopted.push(id);
  }
  if (adopted.length > 0) await batches.adopt(adopted);
}
