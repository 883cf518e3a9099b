/**
 * The reader's Worker: reads on a connection of its own that cannot write. What
 * takes long is done in steps, between which it answers whatever else is asked.
 *
 * @module
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { DatabaseSync } from "node:sqlite";
import type { UsageQuery, UsageReport } from "../../ports/usage.ts";
import { serving } from "../operations.ts";
import { createStores } from "../stores.ts";
import { usageSteps } from "../usage_report.ts";
import { describeError } from "../describe_error.ts";
import type { ReaderStart, WorkerReply, WorkerRequest } from "../worker_protocol.ts";

/**
 * Each statement is a read transaction of its own and none runs long (a report has one for
 * each day), so that the log can be merged meanwhile. Nothing is merged by this connection: there is one
 * that writes and merges.
 */
const PRAGMAS = `
PRAGMA busy_timeout = 250;
PRAGMA query_only = ON;
PRAGMA cache_size = -8192;
PRAGMA temp_store = MEMORY;
PRAGMA trusted_schema = OFF;
`;

/** Milliseconds of work after which whoever else needs the processor gets a turn. */
const TURN_MS = 10;
/** How long such a turn of the others is at least: a commit then finds nobody who reads the log, and can begin it anew. */
const LEAST_REST_MS = 10;
/** What takes long rests as long as it worked, and less and less towards its end. */
const REST_FALLS_FOR_MS = 30_000;
const LEAST_REST_SHARE = 0.25;

if (parentPort !== null) serve(parentPort, workerData as ReaderStart);

function serve(port: MessagePort, { path }: ReaderStart): void {
  const reply = (message: WorkerReply) => port.postMessage(message);
  const database = open(path, reply);
  if (database === undefined) return;
  const perform = serving(createStores(database, path, { readOnly: true }));
  /** What is read in steps, by its operation's name. */
  const steps: { readonly [name: string]: (...args: never[]) => Generator<void, unknown> } = {
    "calls.usageReport": (query: UsageQuery) => onOwnConnection(path, query),
  };
  const answer = ({ id, name, args }: WorkerRequest) => {
    const begin = steps[name] as ((...args: readonly unknown[]) => Generator<void, unknown>);
    if (begin !== undefined) return inTurns(id, begin(...args));
    reply({ id, value: perform(name, args) });
  };
  const inTurns = (id: number, generator: Generator<void, unknown>, begun = performance.now()) => {
    const turn = performance.now();
    let usedMs = 0;
    do {
      const step = generator.next();
      if (step.done === true) return reply({ id, value: step.value });
      usedMs = performance.now() - turn;
    } while (usedMs < TURN_MS);
    const restMs = restAfter(usedMs, turn - begun);
    setTimeout(() => guarded(id, () => inTurns(id, generator, begun)), restMs);
  };
  const guarded = (id: number, work: () => void) => {
    try {
      work();
    } catch (error) {
      reply({ id, error: describeError(error) });
    }
  };
  port.on("message", (request: WorkerRequest) => guarded(request.id, () => answer(request)));
  reply({ id: 0, value: undefined });
}

/** How long to rest after so much work, of something that has taken so long. */
function restAfter(usedMs: number, sinceMs: number): number {
  const share = Math.max(LEAST_REST_SHARE, 1 - sinceMs / REST_FALLS_FOR_MS);
  return Math.max(LEAST_REST_MS, usedMs * share);
}

/** Without a connection it stays until its client ends it, as the writer's Worker does. */
function open(path: string, reply: (message: WorkerReply) => void): DatabaseSync | undefined {
  try {
    return connect(path);
  } catch (error) {
    reply({ id: 0, error: describeError(error) });
    return undefined;
  }
}

function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec(PRAGMAS);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A report is within a transaction while others ask, who are told what is written by then. */
function* onOwnConnection(path: string, query: UsageQuery): Generator<void, UsageReport> {
  const database = connect(path);
  try {
    return yield* usageSteps(database, query);
  } finally {
    database.close();
  }
}
