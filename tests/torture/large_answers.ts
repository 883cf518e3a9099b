/**
 * Answers of a megabyte each that the program stores, because their callers sent an Idempotency-Key:
 * what makes a database large in little time.
 *
 * @module
 */

import type { UpstreamAct } from "../support/fault_upstream/upstream_script.ts";
import type { ServedGateway } from "../support/served_gateway.ts";
import { inParallel } from "./in_parallel.ts";

const TEXT = "large ".repeat(170);
const CHUNKS = 1_000;
const WORKERS = 4;

/** Has so many stored. `bodyOf` gives the body of a call that has the fault upstream do that. */
export async function storeLargeAnswers(
  gateway: ServedGateway,
  { key, count, bodyOf }: {
    readonly key: string;
    readonly count: number;
    readonly bodyOf: (index: number, act: UpstreamAct) => object;
  },
): Promise<void> {
  await inParallel(Array.from({ length: count }, (_, index) => index), {
    workers: WORKERS,
    async work(index) {
      const body = bodyOf(index, { text: TEXT, chunks: CHUNKS });
      const headers = { "idempotency-key": `large-${index}` };
      const response = await gateway.chat(key, body, { headers });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`Cannot store a large answer: ${text}`);
    },
  });
}
