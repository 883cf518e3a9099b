/**
 * The gateway against an executable made before, in turn, in the same run: what one call of each
 * kind costs, and what a start takes.
 *
 * @module
 */

import type { BenchRun, Findings, Row } from "../bench_run.ts";
import { type ChatRequest, chatRequest } from "../chat_requests.ts";
import { type Command, runToEnd, type Server } from "../child_process.ts";
import { inTurn } from "../in_turn.ts";
import { type LoadOptions, measureLoad, median, medianRatio } from "../measure_load.ts";
import { mainThreadMicroseconds } from "../process_stats.ts";
import {
  type DataDir,
  LATE_MODEL,
  makeDataDir,
  MODEL,
  SMALL_CATALOGUE,
  startGateway,
} from "../servers.ts";
import { timeStart } from "./start_up.ts";

/** Loads are short and many: what disturbs the machine for a while then disturbs few of them. */
const ROUNDS_PER_ROUND = 8;
const SHARE_OF_LOAD = 1 / 4;
const WARM_UP_SECONDS = 4;

interface Kind extends Omit<ChatRequest, "key"> {
  readonly connections: number;
}

const KINDS: Readonly<Record<string, Kind>> = {
  "plain call": { model: MODEL, stream: false, connections: 32 },
  "answered after 30 ms, 256 connections": { model: LATE_MODEL, stream: false, connections: 256 },
  "stream of 20 chunks": { model: MODEL, stream: true, connections: 32 },
  "plain call, 100 KB prompt of 200 messages": {
    model: MODEL,
    stream: false,
    history: { messages: 200, characters: 100_000 },
    connections: 32,
  },
};

interface Sample {
  readonly main: number;
  readonly all: number;
}

/** Two executables: before and now. Needs `run.compared.before`. */
export async function measureAgainst(run: BenchRun): Promise<Findings> {
  const { compared, upstream, sizes, folder } = run;
  const commands = [compared.before!, compared.gateway];
  const dataDirs: DataDir[] = [];
  for (const [index, command] of commands.entries()) {
    const path = `${folder}/against-${index}`;
    const options = { path, upstream, size: SMALL_CATALOGUE, isPlain: true } as const;
    dataDirs.push(await makeDataDir(command, options));
  }
  const rows = [
    ...await startRows(commands, dataDirs, sizes.starts),
    ...await callRows(run, commands, dataDirs),
  ];
  return {
    title: "Against an executable made before",
    rows,
    targets: [],
    notes: [
      `Calls: medians of ${sizes.rounds * ROUNDS_PER_ROUND} short loads of each, in turn, at ` +
      `32 connections where no other number is said; ratios are medians of each round's. "Calmest" is the ratio of ` +
      `the means of each one's cheapest fifth: what the machine disturbed least.`,
    ],
  };
}

async function startRows(
  commands: readonly Command[],
  dataDirs: readonly DataDir[],
  starts: number,
): Promise<readonly Row[]> {
  const both = (measure: (command: Command, dataDir: DataDir) => Promise<number>) =>
    inTurn(starts, commands.map((command, index) => () => measure(command, dataDirs[index]!)));
  const [answerBefore, answer] = await both(timeStart);
  const [versionBefore, version] = await both(timeVersion);
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

async function callRows(
  { sizes }: BenchRun,
  commands: readonly Command[],
  dataDirs: readonly DataDir[],
): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack();
  const servers: Server[] = [];
  for (const [index, command] of commands.entries()) {
    servers.push(stack.use(await startGateway(command, dataDirs[index]!.path)));
  }
  const rows: Row[] = [];
  for (const [name, kind] of Object.entries(KINDS)) {
    const sample = (index: number, seconds: number) =>
      sampleOf(servers[index]!, {
        connections: kind.connections,
        requests: [chatRequest({ ...kind, key: dataDirs[index]!.key })],
        seconds,
      });
    for (const index of servers.keys()) await sample(index, WARM_UP_SECONDS);
    const seconds = sizes.secondsPerLoad * SHARE_OF_LOAD;
    const [before, now] = await inTurn(
      sizes.rounds * ROUNDS_PER_ROUND,
      [() => sample(0, seconds), () => sample(1, seconds)],
    );
    const figure = (read: (sample: Sample) => number) => [before.map(read), now.map(read)] as const;
    rows.push(
      rowOf(`${name}, main thread, CPU µs`, ...figure(({ main }) => main)),
      rowOf(`${name}, all threads, CPU µs`, ...figure(({ all }) => all)),
    );
  }
  return rows;
}

async function sampleOf(server: Server, load: LoadOptions): Promise<Sample> {
  const before = mainThreadMicroseconds(server.pid);
  const { answered, cpuUs } = await measureLoad(server, load);
  return { main: (mainThreadMicroseconds(server.pid) - before) / answered, all: cpuUs };
}

function rowOf(name: string, before: readonly number[], now: readonly number[]): Row {
  return {
    "": name,
    "before": median(before),
    "now": median(now),
    "ratio": medianRatio(now, before),
    "calmest": calmest(now) / calmest(before),
  };
}

function calmest(values: readonly number[]): number {
  const least = [...values].sort((a, b) => a - b).slice(0, Math.ceil(values.length / 5));
  return least.reduce((sum, value) => sum + value, 0) / least.length;
}
