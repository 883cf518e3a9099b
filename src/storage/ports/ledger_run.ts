/**
 * A stretch of a book.
 *
 * @module
 */

import type { BookId } from "../../domain/book.ts";

/** Rows of a book that follow each other. A call's rows are all in the same one. */
export interface LedgerRun {
  readonly book: BookId;
  /** The row before the first. */
  readonly afterSeq: number;
  readonly throughSeq: number;
}
