/**
 * Calls from their rows.
 *
 * @module
 */

import type { StoredCall } from "../../domain/call.ts";
import { callFromRow, type CallRow } from "../rows/call_row.ts";
import type { AskedRow } from "./ask.ts";

/** The calls that rows store, which were read with BigInts. */
export function toCalls(rows: readonly AskedRow[]): StoredCall[] {
  return (rows as unknown as readonly CallRow[]).map(callFromRow);
}
