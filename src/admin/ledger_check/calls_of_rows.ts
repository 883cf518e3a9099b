/**
 * Calls by their ids: those that rows of the ledger belong to, and which were met.
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

const IDS_PER_BLOCK = 65_536;
/** Ids from here on tell their time, and lie far apart: see `node_call_ids.ts`. */
const FIRST_OF_NODES = 2 ** 40;
/** Of those, in one set: a set has room for some millions. */
const IDS_PER_SET = 2 ** 36;

/** Remembers which calls were met. */
export class CallSet {
  readonly #blocks = new Map<number, Uint8Array>();
  readonly #sets = new Map<number, Set<number>>();

  /** Adds an id; answers whether it is new. */
  add(callId: number): boolean {
    if (callId >= FIRST_OF_NODES) return this.#addApart(callId);
    const number = Math.floor(callId / IDS_PER_BLOCK);
    let block = this.#blocks.get(number);
    if (block === undefined) {
      block = new Uint8Array(IDS_PER_BLOCK / 8);
      this.#blocks.set(number, block);
    }
    const { byte, bit } = placeOf(callId);
    const isNew = (block[byte]! & bit) === 0;
    block[byte]! |= bit;
    return isNew;
  }

  has(callId: number): boolean {
    if (callId >= FIRST_OF_NODES) {
      return this.#sets.get(Math.floor(callId / IDS_PER_SET))?.has(callId) === true;
    }
    const block = this.#blocks.get(Math.floor(callId / IDS_PER_BLOCK));
    if (block === undefined) return false;
    const { byte, bit } = placeOf(callId);
    return (block[byte]! & bit) !== 0;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#blocks.clear();
    this.#sets.clear();
  }

  #addApart(callId: number): boolean {
    const number = Math.floor(callId / IDS_PER_SET);
    let set = this.#sets.get(number);
    if (set === undefined) this.#sets.set(number, set = new Set());
    if (set.has(callId)) return false;
    set.add(callId);
    return true;
  }
}

function placeOf(callId: number): { byte: number; bit: number } {
  const index = callId % IDS_PER_BLOCK;
  return { byte: index >> 3, bit: 1 << (index & 7) };
}
