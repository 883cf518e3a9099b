/**
 * An archive's file, read: an SQLite database with a schema of its own, of rows as they
 * were in the ledger's database and the checkpoint that states them.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StoredCall } from "../../../domain/call.ts";
import type { PriceVersion } from "../../../domain/price.ts";
import type { ArchiveSeal } from "../../ports/archive_seal.ts";
import type { ArchiveFile } from "../../ports/archives.ts";
import type { Synchronous } from "../../ports/operations.ts";
import type { STORES } from "../../ports/storage.ts";
import {
  archivedColumns,
  CHECKED_TABLE_NAMES,
  CHECKED_TABLES,
  type CheckedTable,
} from "../checked_tables.ts";
import { CALLS_BEHIND, toCalls } from "../call_store.ts";
import { oneLine, pagesFault } from "../database_file.ts";
import { SqliteLedgerStore } from "../ledger_store.ts";
import { type PriceRow, pricesFromRow } from "../../rows/price_row.ts";
import { prepareAll, prepareBigInts } from "../statements.ts";
import { StorageOpenError } from "../../ports/storage_open_error.ts";

/** `PRAGMA application_id` of an archive: "TGAR". */
export const ARCHIVE_APPLICATION_ID = 0x54474152;

/**
 * `PRAGMA user_version` of an archive, of which the reader knows all up to this. 2 states
 * what the calls of each project add up to; 3 has rows with what has no column of its own, which
 * readers of 2 leave out of checksums and prices.
 */
export const ARCHIVE_FORMAT = 3;

/** An archive that is open to be read; its bytes do not change. */
export class SqliteArchiveFile implements ArchiveFile {
  readonly path: string;
  readonly ledger: Synchronous<typeof STORES.ledger>;
  readonly #database: DatabaseSync;
  readonly #sql;

  /**
   * @throws {StorageOpenError} If there is no such file, or it is no archive that this
   * program can read.
   */
  constructor(path: string) {
    this.path = path;
    this.#database = openArchiveToRead(path, {
      applicationId: ARCHIVE_APPLICATION_ID,
      format: ARCHIVE_FORMAT,
    });
    try {
      addMissingColumns(this.#database);
      this.ledger = new SqliteLedgerStore(this.#database);
      this.#sql = {
        ...prepareBigInts(this.#database, { calls: CALLS_BEHIND }),
        ...prepareAll(this.#database, {
          prices: `SELECT ${PRICE_NAMES} FROM price_versions WHERE version = ?`,
          seal: "SELECT document, sha256 FROM archive",
        }),
      };
    } catch (cause) {
      this.#database.close();
      throw unreadable(path, cause);
    }
  }

  seal(): ArchiveSeal | undefined {
    return toSeal(this.#sql.seal.get());
  }

  calls(afterCallId: number, limit: number): readonly StoredCall[] {
    return toCalls(this.#sql.calls.all(afterCallId, limit));
  }

  priceVersions(versions: readonly number[]): readonly PriceVersion[] {
    return versions.flatMap((version) => {
      const row = this.#sql.prices.get(version) as unknown as PriceRow | undefined;
      return row === undefined ? [] : [pricesFromRow(row)];
    });
  }

  count(table: CheckedTable): number {
    return this.#database.prepare(`SELECT count(*) AS n FROM main.${table}`).get()!.n as number;
  }

  /** Every row of a table as one text each, in order of its key. */
  *rowTexts(table: CheckedTable): Generator<{ readonly key: number; readonly text: string }> {
    const rows = this.#database.prepare(
      `${rowTextSql(table, this.#columnsOf(table))} FROM main.${table} ORDER BY key`,
    );
    for (const { key, text } of rows.iterate()) {
      yield { key: key as number, text: text as string };
    }
  }

  async hashContent(onStep: () => Promise<void>): Promise<string> {
    const hash = createHash("sha256");
    for (const table of CHECKED_TABLE_NAMES) {
      hash.update(`${table} ${JSON.stringify(this.#columnsOf(table))}\n`);
      let count = 0;
      for (const { text } of this.rowTexts(table)) {
        hash.update(text).update("\n");
        if (++count % HASHED_ROWS === 0) await onStep();
      }
    }
    return hash.digest("hex");
  }

  checkPages(): void {
    const fault = pagesFault(this.#database, "full");
    if (fault !== undefined) throw unreadable(this.path, new Error(`it is damaged: ${fault}`));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** Those that the file has, which may be fewer than this program knows. */
  #columnsOf(table: CheckedTable): readonly string[] {
    const has = columnsIn(this.#database, table);
    return archivedColumns(table).filter((column) => has.has(column));
  }
}

const PRICE_NAMES = CHECKED_TABLES.price_versions.join(", ");
const HASHED_ROWS = 2_000;

/** The seal in a row of its columns; `undefined` where there is none. */
export function toSeal(row: unknown): ArchiveSeal | undefined {
  if (row === undefined) return undefined;
  const { document, sha256 } = row as ArchiveSeal;
  return { document, sha256 };
}

/** Selects a row's key, and its values as one text: whole numbers are exact there. */
export function rowTextSql(table: CheckedTable, columns = archivedColumns(table)): string {
  return `SELECT ${CHECKED_TABLES[table][0]} AS key, json_array(${columns.join(", ")}) AS text`;
}

/** What kind of archive a file is to be. */
interface ArchiveKind {
  /** Its `PRAGMA application_id`. */
  readonly applicationId: number;
  /** The last format of its kind that the reader knows. */
  readonly format: number;
}

/**
 * Opens an archive of a kind to be read.
 *
 * @throws {StorageOpenError} If there is no such file, or it is of another kind or a newer format.
 */
export function openArchiveToRead(path: string, kind: ArchiveKind): DatabaseSync {
  if (!existsSync(path)) throw new StorageOpenError(`There is no archive ${path}`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    refuseOthers(database, kind);
    return database;
  } catch (cause) {
    database?.close();
    throw unreadable(path, cause);
  }
}

/** What kind of file an SQLite database says that it is; `undefined` where it cannot be read. */
export function applicationIdOf(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    return database.prepare("PRAGMA application_id").get()!.application_id as number;
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

/** Why an archive cannot be read, in the words of whoever tried. */
export function unreadable(path: string, cause: unknown): StorageOpenError {
  const said = cause instanceof Error ? oneLine(cause.message) : cause;
  const reason = said === "file is not a database"
    ? "it is no SQLite database. Name a file that `tollgate calls archive` has written"
    : said;
  return new StorageOpenError(`Cannot read the archive ${path}: ${reason}`, { cause });
}

function refuseOthers(
  database: DatabaseSync,
  { applicationId, format: known }: ArchiveKind,
): void {
  const { application_id: id } = database.prepare("PRAGMA application_id").get()!;
  if (id !== applicationId) throw new Error("it is no archive of tollgate's");
  const format = database.prepare("PRAGMA user_version").get()!.user_version as number;
  if (format <= known) return;
  throw new Error(
    `it has format ${format} and this program knows formats up to ${known}: use a newer tollgate`,
  );
}

/**
 * A column that has come since the archive was written is empty in all its rows: a view of
 * the connection's own stands before the table.
 *
 * @param columnsOf Every column that the reader asks for.
 */
export function addMissingColumns(
  database: DatabaseSync,
  columnsOf: (table: CheckedTable) => readonly string[] = archivedColumns,
): void {
  for (const table of CHECKED_TABLE_NAMES) {
    const has = columnsIn(database, table);
    const columns = columnsOf(table);
    if (columns.every((column) => has.has(column))) continue;
    const selected = columns.map((column) => has.has(column) ? column : `NULL AS ${column}`);
    database.exec(`CREATE TEMP VIEW ${table} AS SELECT ${selected.join(", ")} FROM main.${table}`);
  }
}

function columnsIn(database: DatabaseSync, table: CheckedTable): ReadonlySet<string> {
  const rows = database.prepare("SELECT name FROM pragma_table_info(?, 'main')").all(table);
  return new Set(rows.map(({ name }) => name as string));
}
