/**
 * What a call costs each of those that are compared: CPU time by part of the process, in slices of
 * a second, in turn.
 *
 * @module
 */

import type { BenchRun } from "./bench_run.ts";
import { type CallKind, loadOf, PLAIN_CALL } from "./call_kinds.ts";
import type { Contestant } from "./contestants.ts";
import { inTurn } from "./in_turn.ts";
import { type LoadOptions, type MeasuredLoad, measureLoad } from "./measure_load.ts";
import { cpuMicroseconds } from "./process_stats.ts";
import type { Server } from "./child_process.ts";
import { type PartTimes, ranBetween, threadTimes } from "./thread_times.ts";

const SLICE_SECONDS = 1;
/** Far beyond what warming up takes: it is bounded by its calls. */
const WARM_UP_SECONDS = 300;

/** One slice: what a call cost, microseconds, and how it went. */
export interface CallCost {
  readonly cpu: PartTimes;
  readonly load: MeasuredLoad;
  /** Share of the slice in which the upstream used a CPU. */
  readonly upstreamShare: number;
}

/** What the slices of one of them found. */
export interface FoundCosts {
  readonly contestant: Contestant;
  readonly costs: readonly CallCost[];
}

/**
 * Warms them up, then loads them in turn. Half of the calls before a stream counts are plain: where
 * calls of both kinds are served, each is compiled with the other in mind.
 */
export async function measureCallCosts(
  { upstream, sizes }: BenchRun,
  { contestants, kind }: { readonly contestants: readonly Contestant[]; readonly kind: CallKind },
): Promise<readonly FoundCosts[]> {
  for (const { server, key } of contestants) {
    const kinds = kind.stream ? [PLAIN_CALL, kind] : [kind];
    for (const one of kinds) {
      const maxRequests = Math.ceil(sizes.warmUpCalls / kinds.length);
      await measureLoad(server, loadOf(one, { key, seconds: WARM_UP_SECONDS, maxRequests }));
    }
  }
  const found = await inTurn(
    sizes.slices,
    contestants.map(({ server, key }) => () =>
      costOf(server, { upstream, load: loadOf(kind, { key, seconds: SLICE_SECONDS }) })
    ),
  );
  return found.map((costs, index) => ({ contestant: contestants[index]!, costs }));
}

/** Loads a server and says what each call cost it. */
export async function costOf(
  server: Server,
  { upstream, load: options }: { readonly upstream: Server; readonly load: LoadOptions },
): Promise<CallCost> {
  const upstreamBefore = cpuMicroseconds(upstream.pid);
  const before = threadTimes(server.pid);
  const load = await measureLoad(server, options);
  const ran = ranBetween(before, threadTimes(server.pid));
  const upstreamUs = cpuMicroseconds(upstream.pid) - upstreamBefore;
  const perCall = (us: number) => us / load.answered;
  const cpu = {
    main: perCall(ran.main),
    Workers: perCall(ran.Workers),
    engine: perCall(ran.engine),
    other: perCall(ran.other),
    all: perCall(ran.all),
  };
  return { cpu, load, upstreamShare: upstreamUs / 1e6 / load.seconds };
}
