/**
 * A Worker that takes from memory that threads share, as fast as it can, until it has asked often
 * enough.
 *
 * @module
 */

import { parentPort, workerData } from "node:worker_threads";
import { takeFrom } from "../../src/accounts/purses.ts";
import { GaugeMemory } from "../../src/limits/shared_gauges.ts";

/** What the Worker is told. */
export interface TakingOrder {
  readonly purse: SharedArrayBuffer;
  readonly gauges: SharedArrayBuffer;
  readonly parties: number;
  readonly party: number;
  readonly times: number;
  readonly most: { readonly requests: number; readonly tokens: number; readonly places: number };
  /** Counts the Workers that are ready; they begin together. */
  readonly ready: SharedArrayBuffer;
}

/** What it could take. */
export interface TakingReport {
  readonly amounts: number;
  readonly requests: number;
  readonly tokens: number;
  readonly places: number;
}

if (parentPort !== null) {
  const { purse, gauges, parties, party, times, most, ready } = workerData as TakingOrder;
  const amounts = new BigInt64Array(purse);
  const { requests, tokens, places } = new GaugeMemory(gauges, parties, party).cells(1);
  const waiting = new Int32Array(ready);
  Atomics.add(waiting, 0, 1);
  while (Atomics.load(waiting, 0) < parties);
  const taken = { amounts: 0, requests: 0, tokens: 0, places: 0 };
  for (let time = 0; time < times; time++) {
    if (takeFrom(amounts, 0, 3n)) taken.amounts++;
    if (requests.take(100, 1, most.requests)) taken.requests++;
    if (tokens.take(100 + time % 3, 7, most.tokens)) taken.tokens++;
    if (places.take(most.places)) taken.places++;
  }
  parentPort.postMessage(taken satisfies TakingReport);
  parentPort.on("message", () => parentPort!.close());
}
