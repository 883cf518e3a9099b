/**
 * The gateway against an executable made before, in turn, in the same run: what one call of each
 * kind costs, and what a start takes.
 *
 * @module
 */

import type { BenchRun, Findings, Row } from "../bench_run.ts";
import { measureCallCosts } from "../call_costs.ts";
import { LATE_CALL, LONG_CALL, PLAIN_CALL, STREAMED_CALL } from "../call_kinds.ts";
import { type Command, runToEnd } from "../child_process.ts";
import { type IdleGateway, prepareGateways, startContestants } from "../contestants.ts";
import { inTurn } from "../in_turn.ts";
import { firstQuartile, median, medianRatio } from "../measure_load.ts";
import { timeGatewayStart } from "../time_start.ts";

const KINDS = [PLAIN_CALL, LATE_CALL, STREAMED_CALL, LONG_CALL];

/** Two executables: before and now. Needs `run.compared.before`. */
export async function measureAgainst(run: BenchRun): Promise<Findings> {
  return {
    title: "Against an executable made before",
    rows: [...await startRows(run), ...await callRows(run)],
    targets: [],
    notes: [
      `Calls: medians of ${run.sizes.slices} slices of 1 s of each, in turn, after ` +
      `${run.sizes.warmUpCalls} calls of each kind; ratios are medians of each round's. "Calm" is ` +
      `the ratio of first quartiles: of what the machine disturbed least.`,
    ],
  };
}

async function startRows(run: BenchRun): Promise<readonly Row[]> {
  const gateways = await prepareGateways(run);
  const both = (measure: (gateway: IdleGateway) => Promise<number>) =>
    inTurn(run.sizes.starts, gateways.map((gateway) => () => measure(gateway)));
  const [answerBefore, answer] = await both(timeGatewayStart);
  const [versionBefore, version] = await both(({ command }) => timeVersion(command));
  return [
    rowOf("start to first answer, ms", answerBefore!, answer!),
    rowOf("`version`, ms", versionBefore!, version!),
  ];
}

async function timeVersion(command: Command): Promise<number> {
  const startedAt = performance.now();
  await runToEnd([...command, "version"]);
  return performance.now() - startedAt;
}

async function callRows(run: BenchRun): Promise<readonly Row[]> {
  await using contestants = await startContestants(run, { withPassThrough: false });
  const rows: Row[] = [];
  for (const kind of KINDS) {
    const found = await measureCallCosts(run, { contestants: contestants.all, kind });
    const [before, now] = found.map(({ costs }) => costs.map(({ cpu }) => cpu));
    const name = `${kind.name}, ${kind.connections} connections`;
    rows.push(
      rowOf(
        `${name}: main thread, µs`,
        before!.map(({ main }) => main),
        now!.map(({ main }) => main),
      ),
      rowOf(`${name}: all threads, µs`, before!.map(({ all }) => all), now!.map(({ all }) => all)),
    );
  }
  return rows;
}

function rowOf(name: string, before: readonly number[], now: readonly number[]): Row {
  return {
    "": name,
    "before": median(before),
    "now": median(now),
    "ratio": medianRatio(now, before),
    "calm": firstQuartile(now) / firstQuartile(before),
  };
}
