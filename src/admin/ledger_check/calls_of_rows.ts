/**
 * The calls that rows of the ledger belong to.
 *
 * @module
 */

import type { LedgerRow, StoredCall } from "../../domain/call.ts";
import type { CallStore } from "../../storage/ports/storage.ts";

/** Calls read at once. */
const CALLS_AT_ONCE = 100;

/** By id; those that are not there are left out. They lie close together, so they are read in runs. */
export async function callsOfRows(
  rows: readonly LedgerRow[],
  calls: Pick<CallStore, "slice">,
): Promise<ReadonlyMap<number, StoredCall>> {
  const ids = [...new Set(rows.flatMap(({ callId }) => callId === undefined ? [] : [callId]))]
    .sort((a, b) => a - b);
  const wanted = new Set(ids);
  const found = new Map<number, StoredCall>();
  let next = 0;
  while (next < ids.length) {
    const run = await calls.slice(ids[next]! - 1, CALLS_AT_ONCE);
    for (const call of run) if (wanted.has(call.callId)) found.set(call.callId, call);
    const last = run.length < CALLS_AT_ONCE ? Infinity : run.at(-1)!.callId;
    while (next < ids.length && ids[next]! <= last) next++;
  }
  return found;
}
