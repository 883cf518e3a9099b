/**
 * Writes batches of entries, each in one synced transaction.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { Entry, EntryResult } from "../ports/entry.ts";
import { applyEntry, type EntryStores } from "./apply_entry.ts";
import { Batch } from "./batch.ts";
import { concernsWholeDatabase, refusalFromError } from "./sqlite_error.ts";
import { prepareWriteStatements, type WriteStatements } from "./write_statements.ts";

/** The only writer of a database. */
export class BatchWriter {
  readonly #database: DatabaseSync;
  readonly #stores: EntryStores;
  readonly #statements: WriteStatements;

  constructor(database: DatabaseSync, stores: EntryStores) {
    this.#database = database;
    this.#stores = stores;
    this.#statements = prepareWriteStatements(database);
  }

  /**
   * One result per entry, in order. The batch is tried as a whole; if an entry
   * breaks a constraint, it is written again with a savepoint around each entry,
   * so that entries succeed or fail alone. Trouble with the database as a whole
   * (disk full, I/O error) refuses every entry; the next batch may succeed.
   */
  write(entries: readonly Entry[]): EntryResult[] {
    if (entries.length === 0) return [];
    try {
      return this.#transaction(() => {
        const batch = new Batch(this.#statements, this.#lastSeq());
        const results = entries.map((entry) => applyEntry(batch, entry, this.#stores));
        batch.flush();
        return results;
      });
    } catch (error) {
      if (concernsWholeDatabase(error)) return refuseAll(entries, error);
    }
    try {
      return this.#transaction(() => this.#writeOneByOne(entries));
    } catch (error) {
      return refuseAll(entries, error);
    }
  }

  #writeOneByOne(entries: readonly Entry[]): EntryResult[] {
    return entries.map((entry) => {
      this.#database.exec("SAVEPOINT entry");
      try {
        const batch = new Batch(this.#statements, this.#lastSeq());
        const result = applyEntry(batch, entry, this.#stores);
        batch.flush();
        this.#database.exec("RELEASE entry");
        return result;
      } catch (error) {
        // SQLite has rolled everything back by itself, or nothing can be written at all.
        if (concernsWholeDatabase(error) || !this.#database.isTransaction) throw error;
        this.#database.exec("ROLLBACK TO entry; RELEASE entry");
        return refusalFromError(error);
      }
    });
  }

  #transaction(write: () => EntryResult[]): EntryResult[] {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const results = write();
      this.#database.exec("COMMIT");
      return results;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #lastSeq(): number {
    return this.#statements.lastSeq.get()!.seq as number;
  }
}

function refuseAll(entries: readonly Entry[], error: unknown): EntryResult[] {
  const refusal = refusalFromError(error);
  return entries.map(() => refusal);
}
