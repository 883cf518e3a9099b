/**
 * Plain calls at a steady rate, for measuring what they wait for while something else goes on.
 *
 * @module
 */

import { chatRequest } from "./chat_requests.ts";
import type { Server } from "./child_process.ts";
import { type MeasuredLoad, measureLoad, median } from "./measure_load.ts";
import { MODEL } from "./servers.ts";

/** The rate. */
export const CALLS_PER_SECOND = 200;
/** Enough that no call waits for another's connection. */
const CONNECTIONS = 16;

/** Calls a gateway for so many seconds. */
export function callSteadily(gateway: Server, key: string, seconds: number): Promise<MeasuredLoad> {
  return measureLoad(gateway, {
    connections: CONNECTIONS,
    requests: [chatRequest({ model: MODEL, key, stream: false })],
    seconds,
    perSecond: CALLS_PER_SECOND,
  });
}

/** Medians of some loads, as a row of a table. */
export function steadyRow(name: string, loads: readonly MeasuredLoad[]) {
  return {
    "": name,
    "calls/s": median(loads.map(({ perSecond }) => perSecond)),
    "p50 ms": median(loads.map(({ latency }) => latency.p50Ms)),
    "p99 ms": median(loads.map(({ latency }) => latency.p99Ms)),
    "slowest ms": Math.max(...loads.map(({ latency }) => latency.mostMs)),
  };
}
