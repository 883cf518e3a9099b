/**
 * Writes an archive of sealed runs. Columns have any type: what a server's rows have is kept to the byte.
 *
 * @module
 */

import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { LedgerSeal } from "../../ports/seals.ts";
import type { RawRow, RawRows } from "../../ports/archived_runs.ts";
import type { RunArchiveWriter } from "../../ports/run_archives.ts";
import { insertSql } from "../../rows/row_of.ts";
import { columnsOf, RUN_ARCHIVE_APPLICATION_ID, RUN_ARCHIVE_FORMAT } from "./run_archive_file.ts";

const LEDGER = columnsOf("ledger");
const RUNS = ["book", "after_seq", "through_seq", "document", "sha256"];

const TABLES = [
  tableSql("runs", RUNS, "book, after_seq"),
  tableSql("ledger", LEDGER, "book, seq"),
  tableSql("calls", columnsOf("calls"), "call_id"),
  tableSql("price_versions", columnsOf("price_versions"), "version"),
].join("\n");

/** A new archive, 0600, one file without a log; whoever writes it syncs it. */
export class SqliteRunArchiveWriter implements RunArchiveWriter {
  readonly #database: DatabaseSync;
  readonly #ledger: StatementSync;
  readonly #calls: StatementSync;
  readonly #prices: StatementSync;
  readonly #runs: StatementSync;
  readonly #versions = new Set<unknown>();

  /** @throws {Error} The system's, such as `EEXIST`. */
  constructor(path: string) {
    closeSync(openSync(path, "wx", 0o600));
    this.#database = new DatabaseSync(path);
    // Until it is whole it has another name: nothing of it is ever recovered.
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA application_id = ${RUN_ARCHIVE_APPLICATION_ID};
      PRAGMA user_version = ${RUN_ARCHIVE_FORMAT};
      CREATE TABLE archive (document TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT;
      ${TABLES}
    `);
    const insert = (table: string, columns: readonly string[]) =>
      this.#database.prepare(insertSql(table, columns));
    this.#ledger = insert("ledger", LEDGER);
    this.#calls = insert("calls", columnsOf("calls"));
    this.#prices = insert("price_versions", columnsOf("price_versions"));
    this.#runs = insert("runs", RUNS);
  }

  add(book: number, { ledger, calls, prices }: RawRows): void {
    this.#together(() => {
      for (const row of ledger) this.#ledger.run(book, ...row);
      for (const row of calls) this.#calls.run(...row);
      for (const row of prices) this.#addPrice(row);
    });
  }

  addSeal({ book, afterSeq, throughSeq, document, sha256 }: LedgerSeal): void {
    this.#together(() => this.#runs.run(book, afterSeq, throughSeq, document, sha256));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #addPrice(row: RawRow): void {
    if (this.#versions.has(row[0])) return;
    this.#versions.add(row[0]);
    this.#prices.run(...row);
  }

  #together(write: () => void): void {
    this.#database.exec("BEGIN");
    write();
    this.#database.exec("COMMIT");
  }
}

function tableSql(table: string, columns: readonly string[], key: string): string {
  const declared = columns.map((column) => `"${column}" ANY`).join(", ");
  return `CREATE TABLE ${table} (${declared}, PRIMARY KEY (${key})) STRICT;`;
}
