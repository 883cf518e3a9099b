/**
 * Writes an archive's file.
 *
 * @module
 */

import { closeSync, fdatasyncSync, fsyncSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { ArchiveSeal } from "../../ports/archive_seal.ts";
import { ARCHIVE_APPLICATION_ID, ARCHIVE_FORMAT } from "./archive_file.ts";
import { archivedColumns, CHECKED_TABLE_NAMES, type CheckedTable } from "../checked_tables.ts";
import type { ColumnValue } from "../../rows/row_checksum.ts";
import { insertSql } from "../../rows/row_of.ts";

/** Rows after which what is written goes to the disk: a single sync at the end would be long. */
const ROWS_PER_SYNC = 8_000;

/** Columns and their types, as the database declares them. */
export type ColumnTypes = { readonly [table in CheckedTable]: ReadonlyMap<string, string> };

/** A new archive, 0600, one file without a log. */
export class ArchiveWriter implements Disposable {
  readonly #database: DatabaseSync;
  readonly #descriptor: number;
  readonly #inserts: { readonly [table in CheckedTable]: StatementSync };
  #unsynced = 0;

  /** @throws {Error} The system's, such as `EEXIST`. */
  constructor(path: string, types: ColumnTypes) {
    this.#descriptor = openSync(path, "wx", 0o600);
    this.#database = new DatabaseSync(path);
    // Until it is whole it has another name: nothing of it is ever recovered.
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA application_id = ${ARCHIVE_APPLICATION_ID};
      PRAGMA user_version = ${ARCHIVE_FORMAT};
      CREATE TABLE archive (document TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT;
    `);
    const inserts = {} as Record<CheckedTable, StatementSync>;
    for (const table of CHECKED_TABLE_NAMES) {
      const columns = archivedColumns(table);
      const declared = columns.map((column, index) =>
        `${column} ${types[table].get(column)}${index === 0 ? " PRIMARY KEY" : ""}`
      );
      this.#database.exec(`CREATE TABLE ${table} (${declared.join(", ")}) STRICT`);
      inserts[table] = this.#database.prepare(insertSql(table, columns));
    }
    this.#inserts = inserts;
  }

  /** Adds rows, each with its values in the order of the archive's columns. */
  add(table: CheckedTable, rows: readonly (readonly ColumnValue[])[]): void {
    this.#database.exec("BEGIN");
    for (const values of rows) this.#inserts[table].run(...values);
    this.#database.exec("COMMIT");
    this.#unsynced += rows.length;
    if (this.#unsynced < ROWS_PER_SYNC) return;
    fdatasyncSync(this.#descriptor);
    this.#unsynced = 0;
  }

  [Symbol.dispose](): void {
    this.#database.close();
    closeSync(this.#descriptor);
  }
}

/** Adds to a written archive what it states of itself, and makes everything last. */
export function sealArchive(path: string, { document, sha256 }: ArchiveSeal): void {
  const database = new DatabaseSync(path);
  try {
    database.prepare("INSERT INTO archive VALUES (?, ?)").run(document, sha256);
  } finally {
    database.close();
  }
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
