/**
 * Memory: idle, and how much more is needed after many calls than after some.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import { type LoadOptions, measureLoad } from "../measure_load.ts";
import { leastMemoryDuring, memoryBytes } from "../process_stats.ts";
import { MODEL } from "../servers.ts";
import { startCompared } from "../started.ts";

const CONNECTIONS = 32;
const IDLE_MS = 2_000;
/** Far beyond what the calls need: they are bounded by their number. */
const TIME_LIMIT_SECONDS = 300;

/** Measures the gateway alone; minima of many looks, since what is free is not always given back. */
export async function measureMemory(run: BenchRun): Promise<Findings> {
  const { sizes } = run;
  const [some, many] = sizes.memoryCalls;
  await using started = await startCompared(run);
  const { gateway, passThrough, key } = started;
  const options: LoadOptions = {
    connections: CONNECTIONS,
    requests: [chatRequest({ model: MODEL, key, stream: false })],
    seconds: TIME_LIMIT_SECONDS,
  };
  const rest = () =>
    leastMemoryDuring(
      gateway.pid,
      new Promise((resolve) => setTimeout(resolve, IDLE_MS)),
    );
  // One window is a tenth of the way to `many`, then a rest.
  const windowCalls = Math.min(some, Math.floor((many - some) / 10));
  const window = async () =>
    Math.min(
      await leastMemoryDuring(
        gateway.pid,
        measureLoad(gateway, { ...options, maxRequests: windowCalls }),
      ),
      await rest(),
    );
  await measureLoad(gateway, { ...options, maxRequests: 1 });
  const idle = await rest();
  await measureLoad(gateway, { ...options, maxRequests: some - windowCalls });
  const afterSome = await window();
  await measureLoad(gateway, { ...options, maxRequests: many - some - windowCalls });
  const afterMany = await window();
  const growth = afterMany - afterSome;
  return {
    title: "Memory of the gateway",
    rows: [
      { "": "idle, after one call", "MB": idle / 1e6 },
      { "": `after ${some} calls`, "MB": afterSome / 1e6 },
      { "": `after ${many} calls`, "MB": afterMany / 1e6 },
      { "": "at its peak", "MB": memoryBytes(gateway.pid).peak / 1e6 },
      { "": "for comparison: pass-through, idle", "MB": memoryBytes(passThrough.pid).now / 1e6 },
    ],
    targets: [
      { what: "memory, idle", unit: "MB", atMost: 120, measured: idle / 1e6 },
      {
        what: `memory, growth from ${some} to ${many} calls`,
        unit: "MB",
        atMost: 10,
        measured: growth / 1e6,
      },
    ],
    notes: [
      `Minima of resident memory, looked at every 50 ms during ${windowCalls} calls and ` +
      `${IDLE_MS / 1000} s of rest.`,
    ],
  };
}
