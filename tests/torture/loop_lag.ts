/**
 * How long the program keeps a caller waiting who wants next to nothing: `GET /healthz`, asked again
 * and again from another process while something is done with it.
 *
 * @module
 */

import type { LoadResult } from "../../bench/load_plan.ts";
import { runLoad } from "../../bench/measure_load.ts";

const PER_SECOND = 50;

/** Asks for so many seconds; `latency.mostMs` of the result is the longest wait. */
export function measureLoopLag(url: string, seconds: number): Promise<LoadResult> {
  return runLoad({
    port: Number(new URL(url).port),
    connections: 2,
    perSecond: PER_SECOND,
    seconds,
    requests: ["GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"],
  });
}
