/**
 * The hash over a run of ledger rows, their calls and the prices of these, as a PostgreSQL server makes
 * it for a seal: which columns it is over, and how the same hash is made of rows that are elsewhere.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { CALL_COLUMNS } from "./call_row.ts";
import { LEDGER_COLUMNS } from "./ledger_row.ts";
import type { ColumnValue } from "./row_checksum.ts";

/** What a hash is over, by number: whoever adds a column takes the next one. */
export const COVERED = "1:";

/** That is everything that a checksum covers, and the checksums; `run` is a row of the ledger. */
export const DIGESTED: readonly string[] = [
  ...[...LEDGER_COLUMNS, "checksum"].map((name) => `run.${name}`),
  ...[...CALL_COLUMNS, "checksum"].map((name) => `calls.${name}`),
  "price_versions.checksum",
];

/** What PostgreSQL puts in quotes in a record's text: nothing, and what would end a value. */
const QUOTED = /^$|["\\(),\t\n\v\f\r ]/;

/** A hash of hashes of rows, in their order. */
export class RunDigest {
  readonly #hash = createHash("md5");

  /** Takes the next row: the values of {@linkcode DIGESTED}, integers as they are. */
  add(values: readonly ColumnValue[]): void {
    this.#hash.update(createHash("md5").update(recordText(values)).digest("hex"));
  }

  /** As a seal has it; nothing can be added then. */
  digest(): string {
    return COVERED + this.#hash.digest("hex");
  }
}

/** A row of values as PostgreSQL writes `ROW(…)::text`. */
export function recordText(values: readonly ColumnValue[]): string {
  return `(${values.map(valueText).join(",")})`;
}

function valueText(value: ColumnValue): string {
  if (value === null) return "";
  const text = String(value);
  return QUOTED.test(text) ? `"${text.replace(/["\\]/g, "$&$&")}"` : text;
}
