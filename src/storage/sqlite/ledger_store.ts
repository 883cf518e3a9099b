/**
 * The ledger, read, and the search for altered rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type BookId, MAIN_BOOK } from "../../domain/book.ts";
import type { LedgerRow } from "../../domain/call.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { AlteredRow } from "../ports/books.ts";
import type { STORES } from "../ports/storage.ts";
import { CHECKED_TABLES, type CheckedTable } from "./checked_tables.ts";
import { callChecksum } from "./call_row.ts";
import { LEDGER_COLUMNS, ledgerFromRow, type StoredLedgerRow } from "./ledger_row.ts";
import { type ColumnValue, rowChecksum } from "./row_checksum.ts";

/** The port's reads over prepared statements. */
export class SqliteLedgerStore implements Synchronous<typeof STORES.ledger> {
  readonly #slice: StatementSync;
  readonly #checked: { readonly [table in CheckedTable]: StatementSync };

  constructor(database: DatabaseSync) {
    this.#slice = database.prepare(
      `SELECT ${LEDGER_COLUMNS.join(", ")} FROM ledger WHERE seq > ? ORDER BY seq LIMIT ?`,
    );
    this.#slice.setReadBigInts(true);
    this.#checked = {
      calls: prepareChecked(database, "calls"),
      ledger: prepareChecked(database, "ledger"),
      price_versions: prepareChecked(database, "price_versions"),
    };
  }

  /** There is one writer at a time. */
  books(): readonly BookId[] {
    return [MAIN_BOOK];
  }

  slice(afterSeq: number, limit: number, book: BookId = MAIN_BOOK): readonly LedgerRow[] {
    if (book !== MAIN_BOOK) return [];
    const rows = this.#slice.all(afterSeq, limit) as unknown as StoredLedgerRow[];
    return rows.map(ledgerFromRow);
  }

  alteredRows(
    table: CheckedTable,
    after: number,
    limit: number,
  ): { readonly altered: readonly AlteredRow[]; readonly next: number | undefined } {
    const rows = this.#checked[table].all(after, limit) as unknown as ColumnValue[][];
    const checksumOf = table === "calls" ? callChecksum : rowChecksum;
    const altered: AlteredRow[] = [];
    let last: number | undefined;
    for (const values of rows) {
      const checksum = values.pop();
      last = Number(values[0]);
      if (checksumOf(values) !== Number(checksum)) altered.push({ table, id: String(values[0]) });
    }
    return { altered, next: rows.length < limit ? undefined : last };
  }
}

function prepareChecked(database: DatabaseSync, table: CheckedTable): StatementSync {
  const columns = CHECKED_TABLES[table];
  const statement = database.prepare(
    `SELECT ${columns.join(", ")}, checksum FROM ${table} WHERE ${columns[0]} > ? ORDER BY ${
      columns[0]
    } LIMIT ?`,
  );
  statement.setReadBigInts(true);
  // Half the time that objects take; both runtimes have it, their types do not yet.
  (statement as StatementSync & { setReturnArrays(enabled: boolean): void }).setReturnArrays(true);
  return statement;
}
