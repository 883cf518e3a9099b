/**
 * The ledger, read, and the search for altered rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type BookId, MAIN_BOOK } from "../../domain/book.ts";
import type { LedgerRow } from "../../domain/call.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { AlteredRow, RowCounts } from "../ports/books.ts";
import type { STORES } from "../ports/storage.ts";
import { archivedColumns, CHECKED_TABLES, type CheckedTable } from "./checked_tables.ts";
import { callChecksum } from "../rows/call_row.ts";
import { LEDGER_COLUMNS, ledgerFromRow, type StoredLedgerRow } from "../rows/ledger_row.ts";
import { type ColumnValue, fitsChecksum, rowChecksum } from "../rows/row_checksum.ts";
import { asLists, prepareBigInts } from "./statements.ts";

const LEDGER_NAMES = LEDGER_COLUMNS.join(", ");

/** Prepared when it is asked for: archives have no audit log. */
const COUNTS = `SELECT (SELECT count(*) FROM ledger) AS ledger,
  (SELECT count(*) FROM calls) AS calls,
  (SELECT count(*) FROM price_versions) AS priceVersions,
  (SELECT count(*) FROM audit) AS audit`;

/** The port's reads over prepared statements. */
export class SqliteLedgerStore implements Synchronous<typeof STORES.ledger> {
  readonly #slice: StatementSync;
  readonly #database: DatabaseSync;
  readonly #checked: { readonly [table in CheckedTable]: StatementSync };

  constructor(database: DatabaseSync) {
    const { slice, ...checked } = prepareBigInts(database, {
      slice: `SELECT ${LEDGER_NAMES} FROM ledger WHERE seq > ? ORDER BY seq LIMIT ?`,
      calls: checkedSql("calls"),
      ledger: checkedSql("ledger"),
      price_versions: checkedSql("price_versions"),
    });
    this.#slice = slice;
    this.#database = database;
    // Half the time that objects take.
    for (const statement of Object.values(checked)) asLists(statement);
    this.#checked = checked;
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

  rowCounts(): RowCounts {
    const { ledger, calls, priceVersions, audit } = this.#database.prepare(COUNTS).get()!;
    return {
      ledger: Number(ledger),
      calls: Number(calls),
      priceVersions: Number(priceVersions),
      audit: Number(audit),
    };
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
      const checksum = Number(values.pop());
      last = Number(values[0]);
      const isAltered = !fitsChecksum(values, checksum, checksumOf);
      if (isAltered) altered.push({ table, id: String(values[0]) });
    }
    return { altered, next: rows.length < limit ? undefined : last };
  }
}

function checkedSql(table: CheckedTable): string {
  const [key] = CHECKED_TABLES[table];
  const columns = archivedColumns(table).join(", ");
  return `SELECT ${columns} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`;
}
