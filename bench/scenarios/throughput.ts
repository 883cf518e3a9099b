/**
 * Plain and streamed calls at 32 connections: the gateway with everything on against the bare
 * pass-through, in turn, in the same run.
 *
 * @module
 */

import type { BenchRun, Findings, Row, Target } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import type { Server } from "../child_process.ts";
import { type MeasuredLoad, measureLoad, median } from "../measure_load.ts";
import { cpuMicroseconds, memoryBytes } from "../process_stats.ts";
import { MODEL } from "../servers.ts";
import { startCompared } from "../started.ts";

const CONNECTIONS = 32;
/** Before anything counts: compilers have compiled and caches are filled. */
const WARM_UP_SECONDS = 2;
/** A generator or upstream that works more than this share of the time limits what it measures. */
const SATURATED = 0.9;

interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  readonly peakBytes: number;
}

/** Plain calls. */
export function measurePlain(run: BenchRun): Promise<Findings> {
  return compare(run, { stream: false, title: "Plain calls", cpuAtMost: 1.8 });
}

/** Streamed calls of 20 content chunks. */
export function measureStream(run: BenchRun): Promise<Findings> {
  return compare(run, { stream: true, title: "Streamed calls of 20 chunks", cpuAtMost: 1.6 });
}

async function compare(
  run: BenchRun,
  { stream, title, cpuAtMost }: {
    readonly stream: boolean;
    readonly title: string;
    readonly cpuAtMost: number;
  },
): Promise<Findings> {
  const { upstream, sizes } = run;
  await using started = await startCompared(run);
  const { passThrough, gateway, key } = started;
  const requests = [chatRequest({ model: MODEL, key, stream })];
  const load = (server: Server, seconds: number) =>
    measureLoad(server, { connections: CONNECTIONS, requests, seconds });

  const loads = { passThrough: [] as MeasuredLoad[], gateway: [] as MeasuredLoad[] };
  let busiestUpstream = 0;
  for (const server of [passThrough, gateway]) await load(server, WARM_UP_SECONDS);
  for (let round = 0; round < sizes.rounds; round++) {
    for (const [name, server] of [["passThrough", passThrough], ["gateway", gateway]] as const) {
      const before = cpuMicroseconds(upstream.pid);
      const measured = await load(server, sizes.secondsPerLoad);
      const upstreamShare = (cpuMicroseconds(upstream.pid) - before) / 1e6 / measured.seconds;
      busiestUpstream = Math.max(busiestUpstream, upstreamShare);
      loads[name].push(measured);
    }
  }
  const bare = summarise(loads.passThrough, passThrough);
  const full = summarise(loads.gateway, gateway);
  const busiestGenerator = Math.max(
    ...[...loads.passThrough, ...loads.gateway].map(({ generatorShare }) => generatorShare),
  );
  return {
    title: `${title}, ${CONNECTIONS} connections`,
    rows: rowsOf(bare, full),
    targets: targetsOf(bare, full, { stream, cpuAtMost }),
    notes: [
      `Medians of ${sizes.rounds} interleaved rounds of ${sizes.secondsPerLoad} s. The load ` +
      `generator worked ${percent(busiestGenerator)} of the time, the upstream ` +
      `${percent(busiestUpstream)}${
        Math.max(busiestGenerator, busiestUpstream) > SATURATED ? ": saturated" : ""
      }.`,
    ],
  };
}

function summarise(loads: readonly MeasuredLoad[], server: Server): Measured {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    p50Ms: median(loads.map(({ latency }) => latency.p50Ms)),
    p99Ms: median(loads.map(({ latency }) => latency.p99Ms)),
    cpuUs: median(loads.map(({ cpuUs }) => cpuUs)),
    peakBytes: memoryBytes(server.pid).peak,
  };
}

function rowsOf(bare: Measured, full: Measured): readonly Row[] {
  const row = (name: string, measured: Measured, megabyte: number): Row => ({
    "": name,
    "calls/s": measured.perSecond,
    "p50 ms": measured.p50Ms,
    "p99 ms": measured.p99Ms,
    "CPU µs/call": measured.cpuUs,
    "peak MB": measured.peakBytes / megabyte,
  });
  const ratio = {
    perSecond: full.perSecond / bare.perSecond,
    p50Ms: full.p50Ms / bare.p50Ms,
    p99Ms: full.p99Ms / bare.p99Ms,
    cpuUs: full.cpuUs / bare.cpuUs,
    peakBytes: full.peakBytes / bare.peakBytes,
  };
  return [row("pass-through", bare, 1e6), row("gateway", full, 1e6), row("ratio", ratio, 1)];
}

function targetsOf(
  bare: Measured,
  full: Measured,
  { stream, cpuAtMost }: { readonly stream: boolean; readonly cpuAtMost: number },
): readonly Target[] {
  const cpu = {
    what: `CPU per ${stream ? "streamed" : "plain"} call, ratio to the pass-through`,
    unit: "",
    atMost: cpuAtMost,
    measured: full.cpuUs / bare.cpuUs,
  };
  if (stream) return [cpu];
  const p50 = {
    what: `p50 at ${CONNECTIONS} connections, ratio to the pass-through`,
    unit: "",
    atMost: 2.5,
    measured: full.p50Ms / bare.p50Ms,
  };
  return [cpu, p50];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
