/**
 * What projects keep as rows, and how much of it is removed at a time.
 *
 * @module
 */

import type { KeptBytes } from "../../domain/kept_bytes.ts";
import { integer, RowOf, text } from "./row_of.ts";

/** What is more or, below 0, less than before. */
export interface KeptChange {
  readonly answers?: number;
  readonly responses?: number;
  readonly unfinished?: number;
}

/** Whose a row is, and how many bytes it counts for. */
export interface SizedRow {
  readonly project_id: string;
  readonly bytes: number;
}

/** Every page of a long text is looked at when it is removed. */
export const FORGOTTEN_BYTES = 32 * 1024 * 1024;

/** The first of some rows: those that have so many bytes together, and the one that goes beyond. */
export function withinBytes<Row extends Pick<SizedRow, "bytes">>(
  rows: readonly Row[],
  mostBytes: number,
): readonly Row[] {
  let count = 0;
  for (let bytes = 0; count < rows.length && bytes < mostBytes; count++) {
    bytes += rows[count]!.bytes;
  }
  return rows.slice(0, count);
}

export const KEPT = new RowOf<KeptBytes>({
  projectId: text(),
  answers: integer(),
  responses: integer(),
  unfinished: integer(),
});
