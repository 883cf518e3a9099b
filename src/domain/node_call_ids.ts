/**
 * Numbers of calls where several nodes give them out at one time: each has the time, the node's slot and
 * a count, so that they rise with time and no two nodes give out the same.
 *
 * `milliseconds since 2025 (40 bits) · slot (8 bits) · count (5 bits)`: whole numbers below 2^53 until
 * 2059, 32 of a node in a millisecond; who needs more borrows from the next one.
 *
 * @module
 */

import { type CallCount, type CallIds, countCallsWith } from "./ids.ts";

const EPOCH_MS = Date.UTC(2025);
const SLOTS = 2 ** 8;
const PER_MS = 2 ** 5;

/** The millisecond, since the epoch of Unix, in a number of a node's. */
export function timeOfCallId(callId: number): number {
  return Math.floor(callId / (SLOTS * PER_MS)) + EPOCH_MS;
}

/**
 * Counts with whoever else has the count, in units of one number of this slot.
 *
 * @param now Milliseconds since the epoch.
 */
export function countNodeCallsWith(count: CallCount, now: () => number): CallIds {
  const slot = Number(count[1]);
  return {
    next() {
      const floor = BigInt((Math.floor(now()) - EPOCH_MS) * PER_MS);
      for (let last = Atomics.load(count, 0);;) {
        const next = last < floor ? floor : last + 1n;
        const found = Atomics.compareExchange(count, 0, last, next);
        if (found === last) return idOf(Number(next), slot);
        last = found;
      }
    },
  };
}

/**
 * @param after No number of these is below this one, whoever had the slot before.
 */
export function countNodeCallsFrom(
  slot: number,
  { after, now }: { readonly after: number; readonly now: () => number },
): CallIds & { readonly count: CallCount } {
  const count = new BigInt64Array(new SharedArrayBuffer(16));
  const since = Math.max(timeOfCallId(after) + 1, Math.floor(now()));
  count[0] = BigInt((since - EPOCH_MS) * PER_MS);
  count[1] = BigInt(slot);
  return { count, ...countNodeCallsWith(count, now) };
}

function idOf(unit: number, slot: number): number {
  const ms = Math.floor(unit / PER_MS);
  return (ms * SLOTS + slot) * PER_MS + unit % PER_MS;
}

/** Counts with whoever else has a count, of a node or of a process that has the database to itself. */
export function callIdsWith(count: CallCount, now: () => number): CallIds {
  return count.length > 1 ? countNodeCallsWith(count, now) : countCallsWith(count);
}
