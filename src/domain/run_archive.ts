/**
 * Archives of sealed runs, out of a ledger on a database server: what one states of itself, and what the
 * database keeps of it.
 *
 * @module
 */

import type { BookId } from "./book.ts";
import type { Checkpoint } from "./checkpoint.ts";

/** Which run, and SHA-256 of the seal that it has in the archive and in the database. */
export type ArchivedRun = readonly [book: BookId, afterSeq: number, sha256: string];

/** What follows from an archive's rows. */
export interface RunArchiveFacts {
  /** In order of books and rows. */
  readonly runs: readonly ArchivedRun[];
  readonly ledger_rows: number;
  readonly calls: number;
  readonly price_versions: number;
  /** 0 when there are none. */
  readonly first_call_id: number;
  readonly last_call_id: number;
  /** Milliseconds since the epoch, of the earliest row and the latest. */
  readonly first_at: number;
  readonly last_at: number;
}

/** The text that is hashed and stored: in the database and in the archive. Times are ISO 8601. */
export interface RunArchiveDocument extends RunArchiveFacts {
  /** Archives of a database are numbered one after the other, those of before it was moved here first. */
  readonly number: number;
  /** SHA-256 of what the archive before it states; `null` for the first. */
  readonly previous: string | null;
  /** Every row in it is of an earlier time. */
  readonly before: string;
  readonly written_at: string;
}

/** An archive as the database knows it. */
export type RunArchive = Omit<Checkpoint, "lastSeq">;

/** Reads what one states, whose hash tells whether it is what was written. */
export function readRunArchive(text: string): RunArchiveDocument {
  return JSON.parse(text) as RunArchiveDocument;
}

/** The archive that a document states. */
export function runArchiveOf(
  { number, before, calls, first_call_id, last_call_id }: RunArchiveDocument,
  { file, sha256 }: Pick<RunArchive, "file" | "sha256">,
): RunArchive {
  return {
    number,
    beforeMs: Date.parse(before),
    calls,
    firstCallId: first_call_id,
    lastCallId: last_call_id,
    file,
    sha256,
  };
}
