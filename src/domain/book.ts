/**
 * Books of the ledger: chains of rows, each numbered without gaps and summed by itself, so that
 * whoever writes one waits for nobody's number.
 *
 * @module
 */

/** Numbers of books. */
export type BookId = number;

/** The book that credits are in; a database with one writer at a time has no other. */
export const MAIN_BOOK: BookId = 0;

/** A row's place. */
export interface BookPlace {
  readonly book: BookId;
  readonly seq: number;
}
