/**
 * What calls of each kind cost with everything on, against the bare pass-through and against an
 * executable made before.
 *
 * @module
 */

import type { BenchRun, Findings, Row, Target } from "../bench_run.ts";
import { type CallCost, type FoundCosts, measureCallCosts } from "../call_costs.ts";
import { type CallKind, LATE_CALL, LONG_CALL, PLAIN_CALL, STREAMED_CALL } from "../call_kinds.ts";
import { type ContestantName, startContestants } from "../contestants.ts";
import { firstQuartile, median, medianRatio } from "../measure_load.ts";
import { memoryBytes } from "../process_stats.ts";
import type { Part } from "../thread_times.ts";

/** A generator or upstream that works more than this share of the time limits what it measures. */
const SATURATED = 0.9;
const PARTS: readonly (Part | "all")[] = ["all", "main", "Workers", "engine", "other"];

/** A figure to reach: the cost of a part of the process as a ratio. */
interface Wanted {
  readonly part: Part | "all";
  readonly to: "pass-through" | "before";
  readonly atMost: number;
  readonly aim?: number;
}

/** Plain calls. */
export function measurePlain(run: BenchRun): Promise<Findings> {
  return measure(run, PLAIN_CALL, [
    { part: "all", to: "pass-through", atMost: 1.4, aim: 0.9 },
    { part: "all", to: "before", atMost: 0.65 },
  ]);
}

/** Plain calls whose upstream takes its time. */
export function measureLate(run: BenchRun): Promise<Findings> {
  return measure(run, LATE_CALL, [{ part: "all", to: "pass-through", atMost: 1.6, aim: 0.9 }]);
}

/** Streamed calls of 20 content chunks. */
export function measureStream(run: BenchRun): Promise<Findings> {
  return measure(run, STREAMED_CALL, [
    { part: "all", to: "pass-through", atMost: 1, aim: 0.75 },
    { part: "all", to: "before", atMost: 0.7 },
  ]);
}

/** Plain calls with long prompts. */
export function measureLongPrompt(run: BenchRun): Promise<Findings> {
  return measure(run, LONG_CALL, [{ part: "main", to: "before", atMost: 0.6, aim: 0.3 }]);
}

async function measure(
  run: BenchRun,
  kind: CallKind,
  wanted: readonly Wanted[],
): Promise<Findings> {
  await using contestants = await startContestants(run);
  const found = await measureCallCosts(run, { contestants: contestants.all, kind });
  const costsOf = (name: ContestantName) =>
    found.find(({ contestant }) => contestant.name === name)?.costs;
  const ratioRows =
    ([["now", "pass-through"], ["before", "pass-through"], ["now", "before"]] as const)
      .flatMap(([one, other]) => {
        const [costs, others] = [costsOf(one), costsOf(other)];
        return costs && others ? [ratioRow(`${one} / ${other}`, costs, others)] : [];
      });
  return {
    title: `${kind.name}, ${kind.connections} connections`,
    rows: [...found.map(costRow), ...ratioRows],
    targets: wanted.flatMap((one) => targetOf(one, { kind, costsOf })),
    notes: [notesOf(found)],
  };
}

function costRow({ contestant, costs }: FoundCosts): Row {
  return {
    "": contestant.name,
    ...cpuColumns((part) => firstQuartile(cpuOf(costs, part))),
    "all, median": median(cpuOf(costs, "all")),
    "calls/s": median(costs.map(({ load }) => load.perSecond)),
    "p50 ms": median(costs.map(({ load }) => load.latency.p50Ms)),
    "p99 ms": median(costs.map(({ load }) => load.latency.p99Ms)),
    "peak MB": memoryBytes(contestant.server.pid).peak / 1e6,
  };
}

function ratioRow(
  name: string,
  costs: readonly CallCost[],
  others: readonly CallCost[],
): Row {
  const ratio = (read: (cost: CallCost) => number) =>
    medianRatio(costs.map(read), others.map(read));
  return {
    "": name,
    ...cpuColumns((part) => quartileRatio(part, costs, others)),
    "all, median": ratio(({ cpu }) => cpu.all),
    "calls/s": ratio(({ load }) => load.perSecond),
    "p50 ms": ratio(({ load }) => load.latency.p50Ms),
    "p99 ms": ratio(({ load }) => load.latency.p99Ms),
  };
}

function cpuColumns(read: (part: Part | "all") => number): Row {
  return Object.fromEntries(PARTS.map((part) => [`${part}, µs`, read(part)]));
}

function quartileRatio(
  part: Part | "all",
  costs: readonly CallCost[],
  others: readonly CallCost[],
): number {
  return firstQuartile(cpuOf(costs, part)) / firstQuartile(cpuOf(others, part));
}

function cpuOf(costs: readonly CallCost[], part: Part | "all"): readonly number[] {
  return costs.map(({ cpu }) => cpu[part]);
}

/** None against an executable that there is not. */
function targetOf(
  { part, to, atMost, aim }: Wanted,
  { kind, costsOf }: {
    readonly kind: CallKind;
    readonly costsOf: (name: ContestantName) => readonly CallCost[] | undefined;
  },
): readonly Target[] {
  const [now, before, other] = [costsOf("now")!, costsOf("before"), costsOf(to)];
  if (other === undefined) return [];
  const thread = part === "all" ? "" : `, ${part} thread`;
  const toWhat = to === "before" ? "the executable before" : "the pass-through";
  return [{
    what: `CPU per ${kind.name}, ${kind.connections} connections${thread}, ratio to ${toWhat}`,
    unit: "",
    atMost,
    ...aim !== undefined && { aim },
    measured: quartileRatio(part, now, other),
    ...before && to !== "before" && { before: quartileRatio(part, before, other) },
  }];
}

function notesOf(found: readonly FoundCosts[]): string {
  const all = found.flatMap(({ costs }) => costs);
  const generator = Math.max(...all.map(({ load }) => load.generatorShare));
  const upstream = Math.max(...all.map(({ upstreamShare }) => upstreamShare));
  return `CPU time by the scheduler: first quartiles of ${
    found[0]!.costs.length
  } slices of 1 s of ` +
    `each, in turn; what is not CPU time is the median. The load generator worked at most ` +
    `${percent(generator)} of the time, the upstream ${percent(upstream)}${
      Math.max(generator, upstream) > SATURATED ? ": saturated" : ""
    }.`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
