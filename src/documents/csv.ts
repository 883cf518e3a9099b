/**
 * Rows as CSV (RFC 4180), for spreadsheets.
 *
 * @module
 */

/** What a spreadsheet would take for a formula: told as text (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r]/;
/** What a number looks like: it stays one, also below 0. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/** Where the comma stands in numbers, spreadsheets split at `;`; what is pasted is split at tabs. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** Lines with a heading, each ended by CRLF. Columns are those that any row has, in their order. */
export function csvOf(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => {
    const values = new Map<string, unknown>(Object.entries(row));
    return csvLine(columns.map((column) => values.get(column)));
  });
  return [csvLine(columns), ...lines].join("");
}

/** One line, ended by CRLF. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(",")}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = !NUMBER.test(text) && FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
