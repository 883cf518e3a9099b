/**
 * The file of an archive of sealed runs, read: an SQLite database of rows as they were on a database
 * server, the seal of each run, and what the archive states of all of them.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { MAIN_BOOK } from "../../../domain/book.ts";
import type { StoredCall } from "../../../domain/call.ts";
import type { AmountE8 } from "../../../domain/money.ts";
import type { PriceVersion } from "../../../domain/price.ts";
import type { ArchiveSeal } from "../../ports/archive_seal.ts";
import type { RawRows } from "../../ports/archived_runs.ts";
import type { AlteredRow } from "../../ports/books.ts";
import type { RunArchiveFile } from "../../ports/run_archives.ts";
import type { LedgerRun } from "../../ports/ledger_run.ts";
import type { LedgerSeal, RunRows } from "../../ports/seals.ts";
import { StorageOpenError } from "../../ports/storage_open_error.ts";
import { alteredOf } from "../../rows/altered_rows.ts";
import { CALL_COLUMNS } from "../../rows/call_row.ts";
import { LEDGER_COLUMNS } from "../../rows/ledger_row.ts";
import { PRICE_COLUMNS, type PriceRow, pricesFromRow } from "../../rows/price_row.ts";
import { type ColumnValue, rowChecksum } from "../../rows/row_checksum.ts";
import { callsOf, endedCallsOf, rawOf, runRowsOf } from "../../rows/run_rows.ts";
import { DIGESTED, RunDigest } from "../../rows/run_digest.ts";
import { toCalls } from "../call_store.ts";
import { archivedColumns, type CheckedTable } from "../checked_tables.ts";
import { pagesFault } from "../database_file.ts";
import { asLists, prepareAll, prepareBigInts } from "../statements.ts";
import { addMissingColumns, openArchiveToRead, toSeal, unreadable } from "./archive_file.ts";

/** `PRAGMA application_id` of an archive of runs: "TGRN". */
export const RUN_ARCHIVE_APPLICATION_ID = 0x5447524e;

/** `PRAGMA user_version` of one, of which the reader knows all up to this. */
export const RUN_ARCHIVE_FORMAT = 1;

const LEDGER_NAMES = archivedColumns("ledger").join(", ");
const CALL_NAMES = archivedColumns("calls").join(", ");
const CHECKED_PRICES = archivedColumns("price_versions").join(", ");
const PRICE_NAMES = PRICE_COLUMNS.join(", ");
const DIGESTED_NAMES = DIGESTED.join(", ");
/** Rows that are hashed between two pauses. */
const HASHED_ROWS = 500;

/** Every column that a table of an archive of runs has; without its book a row is nobody's. */
export function columnsOf(table: CheckedTable): readonly string[] {
  return table === "ledger" ? ["book", ...archivedColumns(table)] : archivedColumns(table);
}

/** See the port. */
export class SqliteRunArchiveFile implements RunArchiveFile {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #sql;
  readonly #digested;

  /** @throws {StorageOpenError} If there is no such file, or it is no archive of runs that this program can read. */
  constructor(path: string) {
    this.path = path;
    this.#database = openArchiveToRead(path, {
      applicationId: RUN_ARCHIVE_APPLICATION_ID,
      format: RUN_ARCHIVE_FORMAT,
    });
    try {
      addMissingColumns(this.#database, columnsOf);
      this.#sql = {
        ...prepareBigInts(this.#database, {
          rows: `SELECT ${LEDGER_NAMES} FROM ledger WHERE book = ? AND seq > ? AND seq <= ?
            ORDER BY seq LIMIT ?`,
          rest: `SELECT ${LEDGER_NAMES} FROM ledger
            WHERE book = ? AND seq = ? AND seq <= ? AND kind = 'loss' AND call_id = ?`,
          calls: `SELECT ${CALL_NAMES} FROM calls
            WHERE call_id IN (SELECT value FROM json_each(?)) ORDER BY call_id`,
          firsts: `SELECT project_id, kind, amount_e8, balance_after_e8 FROM ledger
            WHERE book = ?1 AND seq IN (SELECT min(seq) FROM ledger
              WHERE book = ?1 AND seq > ?2 AND seq <= ?3 GROUP BY project_id)`,
          prices: `SELECT ${CHECKED_PRICES} FROM price_versions
            ORDER BY version`,
        }),
        ...prepareAll(this.#database, {
          stated: "SELECT document, sha256 FROM archive",
          seals: `SELECT book, after_seq, through_seq, document, sha256 FROM runs
            WHERE (book, after_seq) > (?, ?) ORDER BY book, after_seq LIMIT ?`,
          price: `SELECT ${PRICE_NAMES} FROM price_versions WHERE version = ?`,
          counts:
            `SELECT (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM ledger) AS ledger,
            (SELECT count(*) FROM calls) AS calls, (SELECT count(*) FROM price_versions) AS prices,
            (SELECT coalesce(min(call_id), 0) FROM calls) AS firstCallId,
            (SELECT coalesce(max(call_id), 0) FROM calls) AS lastCallId,
            (SELECT count(*) FROM ledger WHERE NOT EXISTS (SELECT 1 FROM runs
               WHERE runs.book = ledger.book AND after_seq < seq AND seq <= through_seq))
            + (SELECT count(*) FROM calls WHERE call_id NOT IN (
               SELECT call_id FROM ledger WHERE call_id IS NOT NULL))
            + (SELECT count(*) FROM price_versions WHERE version NOT IN (
               SELECT price_version FROM calls)) AS strays`,
        }),
      };
      const digested = prepareBigInts(this.#database, {
        rows: `SELECT ${DIGESTED_NAMES} FROM ledger AS run
            LEFT JOIN calls ON calls.call_id = run.call_id
            LEFT JOIN price_versions ON price_versions.version = calls.price_version
          WHERE book = ? AND run.seq > ? AND run.seq <= ? ORDER BY run.seq LIMIT ?`,
      });
      this.#digested = () => asLists(digested.rows);
    } catch (cause) {
      this.#database.close();
      throw unreadable(path, cause);
    }
  }

  stated(): ArchiveSeal | undefined {
    return toSeal(this.#sql.stated.get());
  }

  seals(after: LedgerRun | undefined, limit: number): readonly LedgerSeal[] {
    const rows = this.#sql.seals.all(after?.book ?? MAIN_BOOK, after?.afterSeq ?? -1, limit);
    return rows.map(({ book, after_seq, through_seq, document, sha256 }) => ({
      book: book as number,
      afterSeq: after_seq as number,
      throughSeq: through_seq as number,
      document: document as string,
      sha256: sha256 as string,
    }));
  }

  read({ book, afterSeq, throughSeq }: LedgerRun, limit: number): RunRows {
    const found = this.#sql.rows.all(book, afterSeq, throughSeq, limit);
    const last = found.at(-1);
    // What a call has lost follows on how it ended.
    const rest = last === undefined || found.length < limit || last.call_id === null
      ? []
      : this.#sql.rest.all(book, Number(last.seq) + 1, throughSeq, last.call_id as bigint);
    const rows = [...found, ...rest];
    return runRowsOf(book, { rows, calls: this.#sql.calls.all(JSON.stringify(callsOf(rows))) });
  }

  readRaw({ book, afterSeq, throughSeq }: LedgerRun, limit: number): RawRows {
    const rows = this.#sql.rows.all(book, afterSeq, throughSeq, limit);
    const calls = this.#sql.calls.all(JSON.stringify(endedCallsOf(rows)));
    const last = rows.at(-1)?.seq;
    return {
      throughSeq: last === undefined ? undefined : Number(last),
      ledger: rows.map((row) => rawOf(row, LEDGER_COLUMNS)),
      calls: calls.map((row) => rawOf(row, CALL_COLUMNS)),
      prices: [],
    };
  }

  openings({ book, afterSeq, throughSeq }: LedgerRun): ReadonlyMap<string, AmountE8> {
    const rows = this.#sql.firsts.all(book, afterSeq, throughSeq);
    return new Map(rows.map(({ project_id, kind, amount_e8, balance_after_e8 }) => {
      const after = balance_after_e8 as bigint;
      const amount = amount_e8 as bigint;
      const before = kind === "credit"
        ? after - amount
        : kind === "settle"
        ? after + amount
        : after;
      return [project_id as string, before];
    }));
  }

  async digest(
    { book, afterSeq, throughSeq }: LedgerRun,
    pause: () => Promise<void>,
  ): Promise<string> {
    const digest = new RunDigest();
    for (let after = afterSeq;;) {
      const rows = this.#digested().all(
        book,
        after,
        throughSeq,
        HASHED_ROWS,
      ) as unknown as readonly (readonly ColumnValue[])[];
      for (const values of rows) digest.add(values);
      if (rows.length < HASHED_ROWS) return digest.digest();
      after = Number(rows.at(-1)![LEDGER_COLUMNS.indexOf("seq")]);
      await pause();
    }
  }

  call(callId: number): StoredCall | undefined {
    return toCalls(this.#sql.calls.all(JSON.stringify([callId])))[0];
  }

  priceVersions(versions: readonly number[]): readonly PriceVersion[] {
    return versions.flatMap((version) => {
      const row = this.#sql.price.get(version) as unknown as PriceRow | undefined;
      return row === undefined ? [] : [pricesFromRow(row)];
    });
  }

  alteredPrices(): readonly AlteredRow[] {
    return alteredOf(this.#sql.prices.all(), {
      columns: PRICE_COLUMNS,
      checksumOf: rowChecksum,
      nameOf: ({ version }) => ({ table: "price_versions", id: String(version) }),
    });
  }

  counts(): ReturnType<RunArchiveFile["counts"]> {
    return { ...this.#sql.counts.get()! } as unknown as ReturnType<RunArchiveFile["counts"]>;
  }

  checkPages(): void {
    const fault = pagesFault(this.#database, "full");
    if (fault === undefined) return;
    throw unreadable(this.path, new StorageOpenError(`it is damaged: ${fault}`));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
