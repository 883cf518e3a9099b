/**
 * The reader's Worker: reads on a connection of its own that cannot write. What
 * takes long is done in steps, between which it answers whatever else is asked.
 *
 * @module
 */

import { workerData } from "node:worker_threads";
import { DatabaseSync } from "node:sqlite";
import type { CallPageQuery } from "../../ports/call_pages.ts";
import type { UsageQuery, UsageReport } from "../../ports/usage.ts";
import { callPageSteps } from "../call_page.ts";
import { serving } from "../operations.ts";
import { createStores } from "../stores.ts";
import { usageSteps } from "../usage_report.ts";
import { type Answer, type Answering, serveRequests } from "../serve_requests.ts";
import type { ReaderStart } from "../worker_protocol.ts";

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

serveRequests(() => open(workerData as ReaderStart));

function open({ path }: ReaderStart): Answer {
  const database = connect(path);
  const perform = serving(createStores(database, path, { readOnly: true }));
  return ({ name, args }, answering) => {
    switch (name) {
      case "calls.usageReport":
        return inTurns(onOwnConnection(path, args[0] as UsageQuery), answering);
      case "calls.page":
        return inTurns(callPageSteps(database, args[0] as CallPageQuery), answering);
      default:
        answering.reply(perform(name, args));
    }
  };
}

function inTurns(
  steps: Generator<void, unknown>,
  answering: Answering,
  begun = performance.now(),
): void {
  const turn = performance.now();
  let usedMs = 0;
  do {
    const step = steps.next();
    if (step.done === true) return answering.reply(step.value);
    usedMs = performance.now() - turn;
  } while (usedMs < TURN_MS);
  answering.later(restAfter(usedMs, turn - begun), () => inTurns(steps, answering, begun));
}

/** How long to rest after so much work, of something that has taken so long. */
function restAfter(usedMs: number, sinceMs: number): number {
  const share = Math.max(LEAST_REST_SHARE, 1 - sinceMs / REST_FALLS_FOR_MS);
  return Math.max(LEAST_REST_MS, usedMs * share);
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
