/**
 * What a call costs on one gateway with a file and on one, two and three nodes over a PostgreSQL
 * server: CPU time of the gateways and of the server, what is added to a lone call, and how often a
 * node has to ask for more of a balance.
 *
 * @module
 */

import type { BenchRun, Findings, Row } from "../bench_run.ts";
import { loadOf, PLAIN_CALL } from "../call_kinds.ts";
import { chatRequest } from "../chat_requests.ts";
import type { Server } from "../child_process.ts";
import { inTurn } from "../in_turn.ts";
import {
  firstQuartile,
  type LoadOptions,
  type MeasuredLoad,
  measureLoad,
  median,
  medianRatio,
  runLoad,
} from "../measure_load.ts";
import { MODEL } from "../servers.ts";
import {
  asksOf,
  type Done,
  doneBetween,
  lookAt,
  type Setup,
  type SeveralNodes,
  startSeveralNodes,
} from "../several_nodes.ts";

const SETUPS: readonly Setup[] = [
  { name: "SQLite", nodes: 0 },
  { name: "PostgreSQL, 1 node", nodes: 1 },
  { name: "PostgreSQL, 2 nodes", nodes: 2 },
  { name: "PostgreSQL, 3 nodes", nodes: 3 },
];
/** Calls a second over all nodes: of two processors about a third of all that takes part, and most of it. */
const STEADY_RATES = [400, 1_000];
const WARM_UP_SECONDS = 300;
const IDLE_MS = 2_000;
/** Until the server has counted what was done last, leases that nobody uses being given back. */
const COUNTED_MS = 5_000;

/** One load of a setup, and what was done for each call. */
interface Cost extends Done {
  readonly perSecond: number;
  /** Of the node where it was most. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Loads of a steady rate, by setup, and how often nodes asked for more of a balance. */
interface SteadyCosts {
  readonly perSecond: number;
  readonly costs: readonly (readonly Cost[])[];
  readonly asksPerCall: readonly number[];
}

/** Loads them in turn: at steady rates, with one connection, and with as many as they can. */
export async function measureNodes(run: BenchRun): Promise<Findings> {
  const { upstream, sizes } = run;
  await using stack = new AsyncDisposableStack();
  const setups: SeveralNodes[] = [];
  for (const setup of SETUPS) setups.push(stack.use(await startSeveralNodes(run, setup)));
  for (const { nodes, key } of setups) {
    for (const node of nodes) {
      const limits = { seconds: WARM_UP_SECONDS, maxRequests: sizes.warmUpCalls };
      // The first of a node may be refused, while it has no share of the limits.
      await runLoad({ port: node.port, ...loadOf(PLAIN_CALL, { key, ...limits }) });
    }
  }
  const idle = await inTurn(1, setups.map((one) => () => idleCost(one)));
  const seconds = sizes.secondsPerLoad;
  const steady: SteadyCosts[] = [];
  for (const perSecond of STEADY_RATES) {
    const asksBefore = await Promise.all(setups.map(asksOf));
    const costs = await inTurn(
      sizes.rounds,
      setups.map((one) => () => steadyCost(one, { seconds, perSecond })),
    );
    await new Promise((resolve) => setTimeout(resolve, COUNTED_MS));
    const asksAfter = await Promise.all(setups.map(asksOf));
    const asksPerCall = SETUPS.map((_, at) =>
      (asksAfter[at]! - asksBefore[at]!) / callsIn(costs[at]!, seconds)
    );
    steady.push({ perSecond, costs, asksPerCall });
  }
  const bare = { nodes: [upstream], key: "none" };
  const [direct, ...lone] = await inTurn(sizes.rounds, [
    async () => (await loadAll(bare, () => loneLoad("none", seconds))).p50Ms,
    ...setups.map((one) => async () =>
      (await loadAll({ ...one, nodes: [one.nodes[0]!] }, () => loneLoad(one.key, seconds))).p50Ms
    ),
  ]) as [number[], ...number[][]];
  const full = await inTurn(sizes.rounds, setups.map((one) => () => fullCost(one, seconds)));

  const rows: readonly Row[] = [
    ...steady.flatMap(({ perSecond, costs, asksPerCall }) =>
      SETUPS.map(({ name }, at) => ({
        ...costRow(`${perSecond}/s: ${name}`, costs[at]!),
        "asks per call": asksPerCall[at]!,
      }))
    ),
    ...SETUPS.map(({ name }, at) => costRow(`full: ${name}`, full[at]!)),
    ...SETUPS.map(({ name }, at) => ({
      "": `alone: ${name}`,
      "p50 ms": firstQuartile(lone[at]!),
      "above the upstream, ms": firstQuartile(lone[at]!) - firstQuartile(direct),
    })),
  ];
  return {
    title: "One gateway and several nodes, plain calls",
    rows,
    targets: steady.flatMap(({ perSecond, costs: [file, ...servers] }) =>
      servers.map((costs, at) => ({
        what: `${perSecond} calls/s, ${SETUPS[at + 1]!.name}: p50, ratio to SQLite's`,
        unit: "",
        atMost: 2,
        measured: medianRatio(p50s(costs), p50s(file!)),
      }))
    ),
    notes: [
      `Medians of ${sizes.rounds} loads of ${seconds} s of each, in turn; CPU time by the scheduler ` +
      "and what is lone by first quartiles. All nodes of a setup, its server, the upstream and the " +
      "load generators are on this machine, and each setup has a server of its own, which syncs.",
      "“Asks” are leases and what was given back, of the one project that calls; each load begins with " +
      "none leased.",
      `At rest, of a second: ${
        SETUPS.map(({ name }, at) => atRest(name, idle[at]![0]!)).join("; ")
      }.`,
    ],
  };
}

/** What each of some servers gets, and what came of all of them. */
async function loadAll(
  { nodes }: { readonly nodes: readonly Server[] },
  load: () => LoadOptions,
): Promise<Pick<Cost, "perSecond" | "p50Ms" | "p99Ms"> & { readonly answered: number }> {
  const loads: readonly MeasuredLoad[] = await Promise.all(
    nodes.map((node) => measureLoad(node, load())),
  );
  return {
    answered: loads.reduce((sum, { answered }) => sum + answered, 0),
    perSecond: loads.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50Ms: Math.max(...loads.map(({ latency }) => latency.p50Ms)),
    p99Ms: Math.max(...loads.map(({ latency }) => latency.p99Ms)),
  };
}

async function costOf(setup: SeveralNodes, load: () => LoadOptions): Promise<Cost> {
  const before = await lookAt(setup);
  const { answered, ...came } = await loadAll(setup, load);
  return { ...came, ...share(doneBetween(before, await lookAt(setup)), answered) };
}

function steadyCost(
  setup: SeveralNodes,
  { seconds, perSecond }: { readonly seconds: number; readonly perSecond: number },
): Promise<Cost> {
  const { key, nodes } = setup;
  return costOf(setup, () => ({
    connections: PLAIN_CALL.connections,
    requests: [chatRequest({ model: MODEL, key, stream: false })],
    seconds,
    perSecond: perSecond / nodes.length,
  }));
}

/** As many connections in all, however many nodes there are. */
function fullCost(setup: SeveralNodes, seconds: number): Promise<Cost> {
  const { key, nodes } = setup;
  const connections = Math.ceil(PLAIN_CALL.connections / nodes.length);
  return costOf(setup, () => loadOf({ ...PLAIN_CALL, connections }, { key, seconds }));
}

function loneLoad(key: string, seconds: number): LoadOptions {
  return loadOf({ ...PLAIN_CALL, connections: 1 }, { key, seconds });
}

/** What is done in a second in which nobody calls. */
async function idleCost(setup: SeveralNodes): Promise<Done> {
  const before = await lookAt(setup);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return share(doneBetween(before, await lookAt(setup)), IDLE_MS / 1_000);
}

function share({ nodesUs, databaseUs, walBytes }: Done, among: number): Done {
  return { nodesUs: nodesUs / among, databaseUs: databaseUs / among, walBytes: walBytes / among };
}

function costRow(name: string, costs: readonly Cost[]): Row {
  return {
    "": name,
    "calls/s": median(costs.map(({ perSecond }) => perSecond)),
    "p50 ms": median(p50s(costs)),
    "above the upstream, ms": "",
    "p99 ms": median(costs.map(({ p99Ms }) => p99Ms)),
    "nodes, µs": firstQuartile(costs.map(({ nodesUs }) => nodesUs)),
    "PostgreSQL, µs": firstQuartile(costs.map(({ databaseUs }) => databaseUs)),
    "WAL, B": median(costs.map(({ walBytes }) => walBytes)),
    "asks per call": "",
  };
}

function p50s(costs: readonly Cost[]): readonly number[] {
  return costs.map(({ p50Ms }) => p50Ms);
}

function callsIn(costs: readonly Cost[], seconds: number): number {
  return costs.reduce((sum, { perSecond }) => sum + perSecond * seconds, 0);
}

function atRest(name: string, { nodesUs, databaseUs }: Done): string {
  return `${name} ${(nodesUs / 1_000).toFixed(1)} + ${(databaseUs / 1_000).toFixed(1)} ms`;
}
