/**
 * Merges the log into the database while it is written: when it has grown by so much, and when
 * those who waited for the write have their answer.
 *
 * SQLite's own way (`wal_autocheckpoint`) does it within the commit that made the log long. While
 * a report reads, the log cannot begin anew and stays long, so that every commit would merge, with
 * two syncs more: calls beside a report would wait twice as long.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Entry } from "../ports/entry.ts";
import { keptText } from "../ports/kept_of.ts";

/** As SQLite's own default: some 4 MB. */
const MERGED_PAGES = 1_000;
const PAGE_BYTES = 4_096;
/** What a transaction writes whatever is in it, and each entry besides, about: calls share pages. */
const PAGES_PER_BATCH = 8;
const PAGES_PER_ENTRY = 1;
/** What an entry writes that changes a whole slice of rows. */
const PAGES_PER_SLICE = 250;
const SLICES: ReadonlySet<Entry["kind"]> = new Set([
  "backfill_details",
  "drop_archived",
  "evict_responses",
  "forget",
  "write_catalogue",
]);

/** Takes the place of SQLite's own merging on one connection. */
export class LogMerger {
  readonly #merge: StatementSync;
  #pages = 0;

  constructor(database: DatabaseSync) {
    database.exec("PRAGMA wal_autocheckpoint = 0");
    // PASSIVE waits for no reader: what one still needs is left for the next time.
    this.#merge = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** Counts what was written, which SQLite does not tell, so by an estimate; merges if it is time to. */
  wrote(batch: readonly Entry[]): void {
    this.#pages += PAGES_PER_BATCH;
    for (const entry of batch) {
      this.#pages += SLICES.has(entry.kind)
        ? PAGES_PER_SLICE
        : PAGES_PER_ENTRY + keptText(entry) / PAGE_BYTES;
    }
    if (this.#pages < MERGED_PAGES) return;
    this.#pages = 0;
    try {
      this.#merge.get();
    } catch {
      // Nothing is lost: all of it is in the log, and a disk that is full is told of by commits.
    }
  }
}
