/**
 * What the gateway adds to each chunk of streams that arrive slowly.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import { inTurn } from "../in_turn.ts";
import { type LoadOptions, measureLoad, median } from "../measure_load.ts";
import { PACED_MODEL } from "../servers.ts";
import { startCompared } from "../started.ts";

const PACED_STREAMS = 8;

/** A few streams at a time, one chunk every 5 ms each: how old a chunk is when it is read. */
export async function measurePacedStreams(run: BenchRun): Promise<Findings> {
  const [direct, bare, full] = await loadEach(run);
  const row = (name: string, { p50Ms, p99Ms }: Medians) => ({
    "": name,
    "chunk's age p50 ms": p50Ms,
    "p99 ms": p99Ms,
    "added p99 ms": p99Ms - direct.p99Ms,
  });
  return {
    title: `Paced streams, one chunk every 5 ms, ${PACED_STREAMS} at a time`,
    rows: [row("upstream itself", direct), row("pass-through", bare), row("gateway", full)],
    targets: [{
      what: "a chunk's added delay in a paced stream, p99",
      unit: "ms",
      atMost: 3,
      measured: full.p99Ms - direct.p99Ms,
    }],
    notes: [],
  };
}

interface Medians {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Loads upstream, pass-through and gateway in interleaved rounds; medians for each. */
async function loadEach(run: BenchRun): Promise<readonly [Medians, Medians, Medians]> {
  const { upstream, sizes } = run;
  await using started = await startCompared(run);
  const { passThrough, gateway, key } = started;
  const options: LoadOptions = {
    connections: PACED_STREAMS,
    requests: [chatRequest({ model: PACED_MODEL, key, stream: true })],
    seconds: sizes.secondsPerLoad,
    readStamps: true,
  };
  const servers = [upstream, passThrough, gateway];
  for (const server of servers) await measureLoad(server, { ...options, seconds: 1 });
  const found = await inTurn(
    sizes.rounds,
    servers.map((server) => async () => (await measureLoad(server, options)).stamps!),
  );
  const [direct, bare, full] = found.map((spreads) => ({
    p50Ms: median(spreads.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(spreads.map(({ p99Ms }) => p99Ms)),
  }));
  return [direct!, bare!, full!];
}
