/**
 * Plain and streamed calls at 32 connections: the gateway with everything on against the bare
 * pass-through, in turn, in the same run.
 *
 * @module
 */

import type { BenchRun, Findings, Target } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import type { Server } from "../child_process.ts";
import { inTurn } from "../in_turn.ts";
import { type MeasuredLoad, measureLoad, median, medianRatio } from "../measure_load.ts";
import { cpuMicroseconds, memoryBytes } from "../process_stats.ts";
import { MODEL } from "../servers.ts";
import { startCompared } from "../started.ts";

const CONNECTIONS = 32;
/** Before anything counts: compilers have compiled and caches are filled. */
const WARM_UP_SECONDS = 2;
/** A generator or upstream that works more than this share of the time limits what it measures. */
const SATURATED = 0.9;

/** What counts of a load. */
const FIGURES = {
  "calls/s": ({ perSecond }) => perSecond,
  "p50 ms": ({ latency }) => latency.p50Ms,
  "p99 ms": ({ latency }) => latency.p99Ms,
  "CPU µs/call": ({ cpuUs }) => cpuUs,
} as const satisfies Record<string, (load: MeasuredLoad) => number>;

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

  let busiestUpstream = 0;
  const watched = async (server: Server) => {
    const before = cpuMicroseconds(upstream.pid);
    const measured = await load(server, sizes.secondsPerLoad);
    const upstreamShare = (cpuMicroseconds(upstream.pid) - before) / 1e6 / measured.seconds;
    busiestUpstream = Math.max(busiestUpstream, upstreamShare);
    return measured;
  };
  for (const server of [passThrough, gateway]) await load(server, WARM_UP_SECONDS);
  const [bareLoads, loads] = await inTurn(sizes.rounds, [
    () => watched(passThrough),
    () => watched(gateway),
  ]);
  const ratios = ratiosOf(loads, bareLoads);
  const busiestGenerator = Math.max(
    ...[...bareLoads, ...loads].map(({ generatorShare }) => generatorShare),
  );
  return {
    title: `${title}, ${CONNECTIONS} connections`,
    rows: [
      { "": "pass-through", ...medians(bareLoads), "peak MB": peakMb(passThrough) },
      { "": "gateway", ...medians(loads), "peak MB": peakMb(gateway) },
      { "": "ratio", ...ratios, "peak MB": peakMb(gateway) / peakMb(passThrough) },
    ],
    targets: targetsOf(ratios, { stream, cpuAtMost }),
    notes: [
      `Medians of ${sizes.rounds} interleaved rounds of ${sizes.secondsPerLoad} s; ratios are the ` +
      `medians of each round's. The load ` +
      `generator worked ${percent(busiestGenerator)} of the time, the upstream ` +
      `${percent(busiestUpstream)}${
        Math.max(busiestGenerator, busiestUpstream) > SATURATED ? ": saturated" : ""
      }.`,
    ],
  };
}

type Figures = Readonly<Record<keyof typeof FIGURES, number>>;

function eachFigure(read: (figure: (load: MeasuredLoad) => number) => number): Figures {
  const found = Object.entries(FIGURES).map(([name, figure]) => [name, read(figure)] as const);
  return Object.fromEntries(found) as unknown as Figures;
}

function medians(loads: readonly MeasuredLoad[]): Figures {
  return eachFigure((figure) => median(loads.map(figure)));
}

function ratiosOf(loads: readonly MeasuredLoad[], others: readonly MeasuredLoad[]): Figures {
  return eachFigure((figure) => medianRatio(loads.map(figure), others.map(figure)));
}

function peakMb({ pid }: Server): number {
  return memoryBytes(pid).peak / 1e6;
}

function targetsOf(
  ratios: Figures,
  { stream, cpuAtMost }: { readonly stream: boolean; readonly cpuAtMost: number },
): readonly Target[] {
  const cpu = {
    what: `CPU per ${stream ? "streamed" : "plain"} call, ratio to the pass-through`,
    unit: "",
    atMost: cpuAtMost,
    measured: ratios["CPU µs/call"],
  };
  if (stream) return [cpu];
  const p50 = {
    what: `p50 at ${CONNECTIONS} connections, ratio to the pass-through`,
    unit: "",
    atMost: 2.5,
    measured: ratios["p50 ms"],
  };
  return [cpu, p50];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
