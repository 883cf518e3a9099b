/**
 * Gateways that are compared by how many they are: one with a file, and nodes over a PostgreSQL server
 * that is theirs alone, so that what it does is theirs, too.
 *
 * @module
 */

import { type PostgresServer, startPostgres } from "../tests/support/postgres_server.ts";
import type { BenchRun } from "./bench_run.ts";
import type { Command, Server } from "./child_process.ts";
import { type DataDir, makeDataDir, SMALL_CATALOGUE, startGateway } from "./servers.ts";
import { childTimes, ranBetween, type ThreadTimes, threadTimes } from "./thread_times.ts";

const DATABASE = "tollgate";
/** One thread serves in each, however many processors there are: they are compared as processes. */
const SETTINGS = ["--threads", "1"];

/** How many nodes there are; none over a server is one gateway with a file. */
export interface Setup {
  readonly name: string;
  /** Nodes over the server. */
  readonly nodes: number;
}

/** Those that run. `await using` ends them, and their server. */
export interface SeveralNodes extends AsyncDisposable {
  readonly setup: Setup;
  readonly nodes: readonly Server[];
  /** Of a project that pays, at each of them. */
  readonly key: string;
  /** Where their database is, unless it is a file. */
  readonly database: PostgresServer | undefined;
}

/** Starts them on a new database. */
export async function startSeveralNodes(
  { compared, upstream, folder: parent }: BenchRun,
  setup: Setup,
): Promise<SeveralNodes> {
  const folder = await Deno.makeTempDir({ dir: parent });
  await using stack = new AsyncDisposableStack();
  const database = setup.nodes === 0
    ? undefined
    : stack.use(await startPostgres({ isSynced: true }));
  await database?.create(DATABASE);
  const command: Command = database === undefined
    ? compared.gateway
    : ["env", `TOLLGATE_DATABASE_URL=${database.url(DATABASE)}`, ...compared.gateway];
  const options = { upstream, size: SMALL_CATALOGUE, isPlain: true } as const;
  const { path, key }: DataDir = await makeDataDir(command, { path: `${folder}/1`, ...options });
  const nodes = [stack.use(await startGateway(command, path, SETTINGS))];
  for (let node = 2; node <= setup.nodes; node++) {
    nodes.push(stack.use(await startGateway(command, `${folder}/${node}`, SETTINGS)));
  }
  const kept = stack.move();
  return { setup, nodes, key, database, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** What they and their server have done so far. */
export interface DoneSoFar {
  readonly nodes: readonly ThreadTimes[];
  /** The server's processes. */
  readonly database: ReadonlyMap<number, number>;
  /** Bytes that the server has logged to be synced. */
  readonly walBytes: number;
}

/** Looks at them. */
export async function lookAt({ nodes, database }: SeveralNodes): Promise<DoneSoFar> {
  return {
    nodes: nodes.map(({ pid }) => threadTimes(pid)),
    database: database === undefined ? new Map() : childTimes(database.pid),
    walBytes: Number(await database?.ask(DATABASE, "SELECT pg_current_wal_lsn() - '0/0'") ?? 0),
  };
}

/**
 * How often leases were asked for and given back so far: what else changes a project's row there does
 * not happen while calls are made. The server counts it within seconds.
 */
export async function asksOf({ database }: SeveralNodes): Promise<number> {
  const sql = "SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'projects'";
  return Number(await database?.ask(DATABASE, sql) ?? 0);
}

/** What they have done between two looks. */
export interface Done {
  /** CPU time of all nodes together, microseconds. */
  readonly nodesUs: number;
  /** And of their server. */
  readonly databaseUs: number;
  readonly walBytes: number;
}

/** Compares two looks. A process of the server that has ended between them is not in it. */
export function doneBetween(before: DoneSoFar, after: DoneSoFar): Done {
  return {
    nodesUs: sum(after.nodes.map((threads, node) => ranBetween(before.nodes[node]!, threads).all)),
    databaseUs: sum(
      [...after.database].map(([process, us]) => us - (before.database.get(process) ?? 0)),
    ),
    walBytes: after.walBytes - before.walBytes,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
