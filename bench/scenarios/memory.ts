/**
 * Memory: idle, and how much more is needed after many calls than after some.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { loadOf, PLAIN_CALL } from "../call_kinds.ts";
import type { Server } from "../child_process.ts";
import { type IdleGateway, prepareGateways } from "../contestants.ts";
import { measureLoad } from "../measure_load.ts";
import { leastMemoryDuring, memoryBytes } from "../process_stats.ts";
import { startGateway } from "../servers.ts";

const MIB = 1024 ** 2;
const IDLE_MS = 2_000;
/** Far beyond what the calls need: they are bounded by their number. */
const SECONDS = 300;

/** Resident memory, bytes. */
interface Memory {
  readonly name: IdleGateway["name"];
  readonly idle: number;
  readonly afterSome: number;
  readonly afterMany: number;
  readonly peak: number;
}

/** One after the other; minima of many looks, since what is free is not always given back. */
export async function measureMemory(run: BenchRun): Promise<Findings> {
  const [some, many] = run.sizes.memoryCalls;
  const windowCalls = windowOf(run);
  const found: Memory[] = [];
  for (const gateway of await prepareGateways(run)) {
    await using server = await startGateway(gateway.command, gateway.dataDir.path);
    found.push(await memoryOf(gateway, { server, run }));
  }
  const now = found.find(({ name }) => name === "now")!;
  const before = found.find(({ name }) => name === "before");
  const growth = ({ afterSome, afterMany }: Memory) => (afterMany - afterSome) / 1e6;
  return {
    title: "Memory of the gateway",
    rows: found.map((memory) => ({
      "": memory.name,
      "idle, after one call, MiB": memory.idle / MIB,
      [`after ${some} calls`]: memory.afterSome / MIB,
      [`after ${many} calls`]: memory.afterMany / MIB,
      "at its peak": memory.peak / MIB,
      "growth, MB": growth(memory),
    })),
    targets: [
      {
        what: "memory, idle",
        unit: "MiB",
        atMost: 90,
        aim: 80,
        measured: now.idle / MIB,
        ...before && { before: before.idle / MIB },
      },
      {
        what: `memory, growth from ${some} to ${many} calls`,
        unit: "MB",
        atMost: 10,
        aim: 5,
        measured: growth(now),
        ...before && { before: growth(before) },
      },
    ],
    notes: [
      `Minima of resident memory, looked at every 50 ms during ${windowCalls} calls and ` +
      `${IDLE_MS / 1000} s of rest.`,
    ],
  };
}

/** Calls during which it is looked at: a tenth of the way to the most, then a rest. */
function windowOf({ sizes: { memoryCalls: [some, many] } }: BenchRun): number {
  return Math.min(some, Math.floor((many - some) / 10));
}

async function memoryOf(
  { name, dataDir: { key } }: IdleGateway,
  { server, run }: { readonly server: Server; readonly run: BenchRun },
): Promise<Memory> {
  const [some, many] = run.sizes.memoryCalls;
  const windowCalls = windowOf(run);
  const call = (maxRequests: number) =>
    measureLoad(server, loadOf(PLAIN_CALL, { key, seconds: SECONDS, maxRequests }));
  const rest = () =>
    leastMemoryDuring(server.pid, new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
  const window = async () =>
    Math.min(await leastMemoryDuring(server.pid, call(windowCalls)), await rest());
  await call(1);
  const idle = await rest();
  await call(some - windowCalls);
  const afterSome = await window();
  await call(many - some - windowCalls);
  const afterMany = await window();
  return { name, idle, afterSome, afterMany, peak: memoryBytes(server.pid).peak };
}
