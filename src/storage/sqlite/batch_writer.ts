/**
 * Writes batches of entries, each in one synced transaction.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { Entry, EntryResult } from "../ports/entry.ts";
import type { EntryStores } from "./applier.ts";
import { applyEntry } from "./apply_entry.ts";
import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { MovingBalance } from "../entries/call_steps.ts";
import { Batch } from "./batch.ts";
import { concernsWholeDatabase, refusalFromError } from "./sqlite_error.ts";
import { UsageSums } from "../rows/usage_sums.ts";
import { uncoveredCalls, writeUsageSums } from "./usage_sums.ts";
import { prepareWriteStatements, type WriteStatements } from "./write_statements.ts";

/** Usage sums are written after so long, or when they are so many: some 30 ms of one transaction. */
const USAGE_MS = 5_000;
const USAGE_ROWS = 5_000;
/** Balances that are remembered at most, some 2 MB. */
const MOST_BALANCES = 10_000;

/** The only writer of a database. */
export class BatchWriter {
  readonly #database: DatabaseSync;
  readonly #stores: EntryStores;
  readonly #statements: WriteStatements;
  readonly #usage = new UsageSums();
  readonly #openCalls: Map<number, OpenCall> = new Map();
  #usageWrittenAt = performance.now();
  /** Balances as they are stored: this is the only writer, but for an operator's shell. */
  readonly #balances: Map<string, MovingBalance> = new Map();
  /** `seq` of the last ledger row; `undefined` while it is not known. */
  #lastSeq: number | undefined;
  /** SQLite's number for what others have written. */
  #dataVersion: unknown;

  constructor(database: DatabaseSync, stores: EntryStores) {
    this.#database = database;
    this.#stores = stores;
    this.#statements = prepareWriteStatements(database);
    for (const call of uncoveredCalls(database)) this.#usage.add(call);
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
      return this.#writeCalls((closed) => {
        const batch = this.#newBatch();
        const results = entries.map((entry) => this.#apply(batch, entry));
        this.#flush(batch);
        closed.push(...batch.closedCalls);
        return results;
      });
    } catch (error) {
      if (concernsWholeDatabase(error)) return refuseAll(entries, error);
    }
    try {
      // Usage sums wait, as it may be they that cannot be written: no entry is refused for them.
      return this.#writeCalls((closed) => this.#writeOneByOne(entries, closed), false);
    } catch (error) {
      return refuseAll(entries, error);
    }
  }

  /** Applies an entry; its result tells what projects keep then, where it has changed that. */
  #apply(batch: Batch, entry: Entry): EntryResult {
    const { kept } = this.#stores;
    kept.begin();
    const result = applyEntry(batch, entry, this.#stores);
    const { changes } = kept;
    return changes === undefined || !result.ok ? result : { ...result, kept: changes };
  }

  /** Writes usage sums that wait for company: before they are read, and at the end. */
  writeUsage(): void {
    if (this.#usage.size > 0) this.#writeCalls(() => [], true);
  }

  /** One transaction; usage sums go along when they are due, and take in its calls once it is synced. */
  #writeCalls(
    write: (closed: ClosedCall[]) => EntryResult[],
    isUsageDue = this.#usage.size >= USAGE_ROWS ||
      performance.now() - this.#usageWrittenAt >= USAGE_MS,
  ): EntryResult[] {
    const closed: ClosedCall[] = [];
    const results = this.#transaction(() => {
      // The sums so far cover the ledger so far; the calls of this transaction are yet to come.
      if (isUsageDue && this.#usage.size > 0) {
        writeUsageSums(this.#usage, this.#statements, this.#readLastSeq());
      }
      return write(closed);
    });
    if (isUsageDue) {
      this.#usage.clear();
      this.#usageWrittenAt = performance.now();
    }
    for (const call of closed) this.#usage.add(call);
    return results;
  }

  #writeOneByOne(entries: readonly Entry[], closed: ClosedCall[]): EntryResult[] {
    return entries.map((entry) => {
      this.#database.exec("SAVEPOINT entry");
      try {
        const batch = this.#newBatch();
        const result = this.#apply(batch, entry);
        this.#flush(batch);
        this.#database.exec("RELEASE entry");
        closed.push(...batch.closedCalls);
        return result;
      } catch (error) {
        // SQLite has rolled everything back by itself, or nothing can be written at all.
        if (concernsWholeDatabase(error) || !this.#database.isTransaction) throw error;
        this.#database.exec("ROLLBACK TO entry; RELEASE entry");
        this.#forgetBooks();
        return refusalFromError(error);
      }
    });
  }

  #transaction(write: () => EntryResult[]): EntryResult[] {
    const { sessions } = this.#stores;
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      this.#lookForOthers();
      sessions.store();
      const results = write();
      this.#database.exec("COMMIT");
      sessions.stored();
      return results;
    } catch (error) {
      this.#forgetBooks();
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #newBatch(): Batch {
    return new Batch(this.#statements, {
      lastSeq: this.#readLastSeq(),
      balances: this.#balances,
      openCalls: this.#openCalls,
      session: this.#stores.sessions.live,
    });
  }

  #flush(batch: Batch): void {
    batch.flush();
    this.#lastSeq = batch.lastSeq;
  }

  #readLastSeq(): number {
    return this.#lastSeq ??= this.#statements.lastSeq.get()!.seq as number;
  }

  /** Reads anew what another connection may have changed: an operator's shell, as the data dir is locked. */
  #lookForOthers(): void {
    const version = this.#statements.dataVersion.get()!.data_version;
    if (version !== this.#dataVersion || this.#balances.size > MOST_BALANCES) this.#forgetBooks();
    this.#dataVersion = version;
  }

  /** What was remembered is not what is stored. */
  #forgetBooks(): void {
    this.#balances.clear();
    this.#openCalls.clear();
    this.#lastSeq = undefined;
  }
}

function refuseAll(entries: readonly Entry[], error: unknown): EntryResult[] {
  const refusal = refusalFromError(error);
  const reason = refusal.reason === "full" ? "full" : "unavailable";
  return entries.map(() => ({ ...refusal, reason }));
}
