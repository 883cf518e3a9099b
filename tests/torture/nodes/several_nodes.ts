/**
 * Several executables over one PostgreSQL server, and what must hold of their books whatever befell
 * them.
 *
 * @module
 */

import { cutLine, type CuttingLine } from "../../support/cutting_line.ts";
import type { FaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres_server.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import type { BookRows } from "../books/book_rows.ts";
import { checkBookRows } from "../books/check_books.ts";
import { checkUpstream } from "../books/check_upstream.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { readServerBooks } from "../books/server_books.ts";
import type { RowFinding } from "../row_finding.ts";
import { taggedCatalogue, tagOf } from "../tagged_calls.ts";
import { type Answers, callUntil, unsettled } from "../tagged_load.ts";

const DATABASE = "tollgate";
const QUIET_WITHIN_MS = 60_000;
/** On a busy machine those who look hear nothing themselves now and then, and begin anew. */
const DEAD_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 100;
/** Some calls last so long that their holds are written. */
const MOST_DELAY_MS = 1_500;

/** How they are started. */
export interface SeveralNodesOptions {
  readonly folder: string;
  readonly upstream: FaultUpstream;
  /** Default: three. */
  readonly count?: number;
  /** What the project `paying` is credited; `undefined` for nothing. */
  readonly credit?: string;
  /** Besides where the database is. Default: nothing. */
  readonly env?: Readonly<Record<string, string>>;
  /** Nodes that are never told what others change, as through some poolers. Default: none. */
  readonly untold?: readonly number[];
}

/** The nodes, each with a data dir and a line to the server of its own. `await using` ends them. */
export class SeveralNodes implements AsyncDisposable {
  #server: PostgresServer;
  readonly lines: readonly CuttingLine[];
  readonly #folder: string;
  readonly #upstream: FaultUpstream;
  readonly #env: Readonly<Record<string, string>>;
  readonly #nodes: ServedGateway[] = [];
  readonly #answers: Answers = new Map();
  #tag = 0;
  /** A key of the project `paying`. */
  key = "";

  private constructor(
    server: PostgresServer,
    { folder, upstream, count = 3, env = {}, untold = [] }: SeveralNodesOptions,
  ) {
    this.#env = env;
    this.#server = server;
    this.#folder = folder;
    this.#upstream = upstream;
    this.lines = Array.from(
      { length: count },
      (_, node) => cutLine(server.port, { tells: !untold.includes(node) }),
    );
  }

  /** Makes the database, and starts them one after the other. */
  static async start(options: SeveralNodesOptions): Promise<SeveralNodes> {
    const nodes = new SeveralNodes(await startPostgres(), options);
    try {
      await nodes.server.create(DATABASE);
      await nodes.startNode(0);
      await nodes.at(0).apply(taggedCatalogue(options.upstream.url));
      if (options.credit !== undefined) await nodes.at(0).credit("paying", options.credit);
      nodes.key = await nodes.at(0).key("paying");
      for (let node = 1; node < nodes.lines.length; node++) await nodes.startNode(node);
      return nodes;
    } catch (error) {
      await nodes[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Of the database: after a failover, the one that is the primary now. */
  get server(): PostgresServer {
    return this.#server;
  }

  at(node: number): ServedGateway {
    return this.#nodes[node]!;
  }

  get all(): readonly ServedGateway[] {
    return this.#nodes;
  }

  /** How many calls were answered in full. */
  get answered(): number {
    return this.#answers.size;
  }

  /** How many calls were sent. */
  get sent(): number {
    return this.#tag;
  }

  /** The next call's. */
  readonly nextTag = (): number => ++this.#tag;

  /**
   * Starts one that has none running, with the data dir that it had.
   *
   * @param executable In place of the one under test.
   */
  async startNode(node: number, executable?: string): Promise<void> {
    await this.#nodes[node]?.[Symbol.asyncDispose]();
    this.#nodes[node] = await serveGateway({
      dataDir: `${this.#folder}/node-${node}`,
      env: this.#environment(node),
      expectKey: false,
      executable,
      readyWithinMs: 120_000,
    });
  }

  /** A new key of a project, once all of them know it: what was changed before it, they know as well. */
  async newKey(project: string): Promise<string> {
    const key = await this.at(0).key(project);
    await Promise.all(this.#nodes.map(({ url }) =>
      until("a key to be known", async () => {
        const headers = { authorization: `Bearer ${key}` };
        const response = await fetch(`${url}/v1/models`, { headers });
        await response.body?.cancel();
        return response.status === 200;
      })
    ));
    return key;
  }

  /** Calls at a steady pace at each of them. */
  callAll(
    { callsPerSecond, random }: { readonly callsPerSecond: number; readonly random: SeededRandom },
  ): { over(): Promise<void> } {
    const loads = this.#nodes.map((gateway) =>
      callUntil(gateway, {
        ...{ key: this.key, callsPerSecond, random },
        answers: this.#answers,
        nextTag: this.nextTag,
        mostDelayMs: MOST_DELAY_MS,
      })
    );
    return {
      async over() {
        await Promise.all(loads.map((load) => load.over()));
      },
    };
  }

  /** Waits until more calls were answered. */
  async untilAnswered(more: number): Promise<void> {
    const before = this.answered;
    await until(`${more} answers`, () => this.answered >= before + more);
  }

  /** The server is lost, and one that follows it takes its place. */
  async failOver(to: PostgresServer): Promise<void> {
    await this.#server.lose();
    await to.ask("postgres", "ALTER SYSTEM SET synchronous_standby_names = ''");
    await to.ask("postgres", "SELECT pg_promote()");
    this.#server = to;
    for (const line of this.lines) line.leadTo(to.port);
  }

  /** What each live session has written so far, by its number. */
  async written(): Promise<ReadonlyMap<string, number>> {
    const sql = "SELECT session_id, batch_no FROM node_sessions WHERE state = 'live'";
    const rows = (await this.server.ask(DATABASE, sql)).split("\n").filter((row) => row !== "");
    return new Map(
      rows.map((row) => row.split("|") as [string, string])
        .map(([session, batches]) => [session, Number(batches)]),
    );
  }

  /** How many of the calls that were answered are not settled in the books. */
  async lostAnswers(): Promise<number> {
    const { calls } = await this.quietBooks();
    const settled = new Set(calls.filter(({ state }) => state === "settled").map(tagOf));
    return [...this.#answers.keys()].filter((tag) => !settled.has(tag)).length;
  }

  /** Sessions of that state. */
  async sessions(state: "live" | "dead" | "closed"): Promise<number> {
    const sql = `SELECT count(*) FROM node_sessions WHERE session_id > 0 AND state = '${state}'`;
    return Number(await this.server.ask(DATABASE, sql));
  }

  /** The versions of the tables, and of the programs of live sessions: each once. */
  async versions(): Promise<{ readonly schema: number; readonly programs: readonly number[] }> {
    const ask = (sql: string) => this.server.ask(DATABASE, sql);
    const programs = await ask(
      `SELECT DISTINCT schema_version FROM node_beats JOIN node_sessions USING (session_id)
       WHERE state = 'live' AND session_id > 0 ORDER BY 1`,
    );
    return {
      schema: Number(await ask("SELECT value FROM cluster_meta WHERE name = 'schema_version'")),
      programs: programs.split("\n").map(Number),
    };
  }

  /** How many films a node makes. */
  async filmsOf(node: number): Promise<number> {
    const name = (await Deno.readTextFile(`${this.at(node).server.dataDir}/node_id`)).trim();
    const sql = `SELECT count(*) FROM video_tasks WHERE status = 'in_progress' AND session_id =
      (SELECT max(session_id) FROM node_sessions WHERE node = '${name}')`;
    return Number(await this.server.ask(DATABASE, sql));
  }

  /** Waits until so many sessions were taken for dead. */
  async untilDead(count: number): Promise<void> {
    await until("a node to be taken for dead", async () => await this.sessions("dead") >= count, {
      withinMs: DEAD_WITHIN_MS,
    });
  }

  /** How many transactions sessions have written that were taken for dead: it stays as it is. */
  async writtenByDead(): Promise<number> {
    const sql = "SELECT coalesce(sum(batch_no), 0) FROM node_sessions WHERE state = 'dead'";
    return Number(await this.server.ask(DATABASE, sql));
  }

  /** What their logs say went wrong, each once. */
  get troubles(): readonly string[] {
    const said = this.#nodes.flatMap(({ server }) =>
      [...server.stderr.matchAll(/"level":"error".*?"message":("(?:[^"\\]|\\.)*")/g)]
        .map(([, message]) => JSON.parse(message!) as string)
    );
    return [...new Set(said)];
  }

  /** The books once no call is open, or as they are when that takes too long. */
  async quietBooks(): Promise<BookRows> {
    const deadline = performance.now() + QUIET_WITHIN_MS;
    for (;;) {
      const rows = await readServerBooks(this.server, DATABASE);
      const isQuiet = rows.calls.every(({ state }) => state !== "open");
      if (isQuiet || performance.now() > deadline) return rows;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Requires of the books what must hold of any once nothing is under way. */
  async requireBooks(found: RowFinding): Promise<BookRows> {
    const rows = await this.quietBooks();
    found.requireNone(checkBookRows(rows));
    const node = this.#nodes.findIndex(({ server }) => !server.hasEnded);
    const { dataDir } = this.at(node).server;
    found.requireNone(await ledgerDifferences(dataDir, this.#environment(node)));
    return rows;
  }

  /**
   * Requires also that every answered call is settled, and no call twice.
   *
   * @param isAllBooked Whether no node has crashed: then the books tell of every call that an upstream
   * has completed, and who has no answer is not charged.
   * @returns How many calls no book tells of: a hold is written a moment after it is taken, and a crash
   * until then is as good as a release.
   */
  async requireExact(found: RowFinding, { isAllBooked = false } = {}): Promise<number> {
    const { calls } = await this.requireBooks(found);
    unsettled(calls, this.#answers, found);
    const inBooks = new Set(calls.map(tagOf));
    found.require(inBooks.size === calls.length, "some tags are several calls");
    await found.during("the upstream's attempts", () => this.#upstream.ended());
    const { records } = this.#upstream.log;
    const known = records.filter(({ tag }) => inBooks.has(tag));
    const compared = isAllBooked ? records : known;
    found.requireNone(checkUpstream({ records: compared, calls, tagOf }));
    if (isAllBooked) this.#requireAnswered(found, calls);
    return records.length - known.length;
  }

  /** How many calls a node has booked anew that was taken for dead and has ended, as it says. */
  rebookedBy(node: number): number {
    const said = /"ledger_rebooked".*?"calls":(\d+)/.exec(this.at(node).server.stderr);
    return Number(said?.[1] ?? 0);
  }

  #requireAnswered(found: RowFinding, calls: BookRows["calls"]): void {
    for (const call of calls) {
      const tag = tagOf(call);
      if (call.charged === 0n || tag === undefined || this.#answers.has(tag)) continue;
      found.require(false, `tag ${tag} is charged ${call.charged}, and its caller has no answer`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
    for (const line of this.lines) line[Symbol.dispose]();
    await this.server[Symbol.asyncDispose]();
  }

  #environment(node: number): Record<string, string> {
    const { port } = this.lines[node]!;
    const url = `postgres://tollgate@127.0.0.1:${port}/${DATABASE}`;
    return { ...this.#env, TOLLGATE_DATABASE_URL: url };
  }
}
