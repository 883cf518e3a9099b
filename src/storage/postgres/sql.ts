/**
 * Statements as PostgreSQL reads them.
 *
 * @module
 */

import { storableText } from "../rows/row_of.ts";

const NUMBERED: Map<string, string> = new Map();
/** Texts that depend on a query are not many, but may be more than need to be remembered. */
const MOST_REMEMBERED = 2_000;

/**
 * A statement whose parameters are `?`, in the order of the values, or `?3` by their numbers, with
 * PostgreSQL's `$3` in their place. No text of a statement has a question mark besides.
 */
export function numbered(sql: string): string {
  const known = NUMBERED.get(sql);
  if (known !== undefined) return known;
  let next = 0;
  const text = sql.replaceAll(/\?(\d*)/g, (_, number: string) => `$${number || ++next}`);
  if (NUMBERED.size >= MOST_REMEMBERED) NUMBERED.clear();
  NUMBERED.set(sql, text);
  return text;
}

/** Milliseconds since the epoch by the server's clock. */
export const SERVER_NOW = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Names that PostgreSQL may have for itself. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/**
 * Rows as JSON, for `json_populate_recordset`: big integers in digits, which any column reads, and texts
 * as a column can hold them, so that no row is refused for what somebody has called a model.
 */
export function recordset(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const records = rows.map((values) =>
    Object.fromEntries(columns.map((column, index) => [column, values[index]]))
  );
  return JSON.stringify(
    records,
    (_name, value) =>
      typeof value === "bigint"
        ? String(value)
        : typeof value === "string"
        ? storableText(value)
        : value,
  );
}
