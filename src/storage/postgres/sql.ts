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
 * as a column can hold them, so that no row is refused for what somebody has called a model. What is null
 * is left out, which comes to the same.
 */
export function recordset(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const names = columns.map((column) => `${JSON.stringify(column)}:`);
  const records = rows.map((values) => {
    let members = "";
    for (const [at, name] of names.entries()) {
      const text = memberText(values[at]);
      if (text !== undefined) members += `${members === "" ? "" : ","}${name}${text}`;
    }
    return `{${members}}`;
  });
  return `[${records.join(",")}]`;
}

/** A column's value as JSON; `undefined` for null. */
function memberText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return JSON.stringify(storableText(value));
    case "bigint":
      return `"${value}"`;
    case "number":
      return Number.isFinite(value) ? String(value) : undefined;
    default:
      if (value === null || value === undefined) return undefined;
      throw new TypeError(`No column's value is a ${typeof value}`);
  }
}
