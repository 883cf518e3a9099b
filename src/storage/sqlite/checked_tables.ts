/**
 * The tables that archives have in common with the database.
 *
 * @module
 */

import { CALL_COLUMNS } from "../rows/call_row.ts";
import { LEDGER_COLUMNS } from "../rows/ledger_row.ts";
import { PRICE_COLUMNS } from "../rows/price_row.ts";

/** The tables whose rows carry a checksum, with the columns it covers; the first one is the key. */
export const CHECKED_TABLES = {
  ledger: LEDGER_COLUMNS,
  calls: CALL_COLUMNS,
  price_versions: PRICE_COLUMNS,
} as const;

/** One of {@linkcode CHECKED_TABLES}. */
export type CheckedTable = keyof typeof CHECKED_TABLES;

/** All of them. */
export const CHECKED_TABLE_NAMES = Object.keys(CHECKED_TABLES) as readonly CheckedTable[];

/** Every column that a row of an archive has, checksum last. */
export function archivedColumns(table: CheckedTable): readonly string[] {
  return [...CHECKED_TABLES[table], "checksum"];
}
