/**
 * R28: a long, steady load of which one call in a hundred goes wrong. `deno task soak --minutes 30`
 * is this row alone, at full size.
 *
 * @module
 */

import { postRequest } from "../../../bench/post_request.ts";
import { runLoad } from "../../../bench/measure_load.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { readUpstreamLog } from "../../support/fault_upstream/upstream_log.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { cutShort } from "../cut_short.ts";
import { lookAtProcess, type ProcessLook, watchProcess } from "../process_watch.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const CALLS_PER_SECOND = 200;
const CONNECTIONS = 64;
/** Requests of which one in a hundred is a fault, sent over and over. */
const REQUESTS = 2_000;
const LOOK_EVERY_MS = 1_000;
const LEAVE_EVERY_MS = 1_000;
/** Connections that the program keeps for the next call, and for how long they may be idle. */
const KEPT_CONNECTIONS = 64;
const IDLE_MS = 35_000;
/** Our own connection to the program, and the like. */
const FEW = 6;
/**
 * Calls at full speed before and after a long run. Each thread's engine has its young generation grow with
 * what it has collected in all, by doubling, from 1 to 32 MB, and takes it back where there is little to do:
 * memory is compared where it has grown as far as it does. It has by the second 250,000 (4 MiB
 * more). All of the books are read at the end, of which the scorecard's memory has room for a million calls.
 */
const GROWING_CALLS = { before: 400_000, after: 200_000 } as const;
const GROWING_MOST_SECONDS = 900;
const GROWING_LAST_MS = 40_000;
/** Of a short run, before memory counts: a start fills caches and grows to the load's working set. */
const WARM_UP_SHARE = 1 / 3;

const CATALOGUE = (url: string) => `
providers:
  - { id: first, kind: openai_compatible, base_url: "${url}", auth: none }
  - { id: second, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: m
    kind: chat
    routes:
      - { id: first/m, provider: first, upstream_model: m-first, cost: { input: "1", output: "2" }, sale: { input: "3.7", output: "11.3" } }
      - { id: second/m, provider: second, upstream_model: m-second, cost: { input: "2", output: "4" }, sale: { input: "7.4", output: "22.6" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;

/** What goes wrong; at the first route alone where the second can make it good. */
const FAULTS: readonly { readonly act: UpstreamAct; readonly isEverywhere?: boolean }[] = [
  { act: { status: 503 } },
  { act: { status: 429, retryAfter: 0 } },
  { act: { resetAt: -1 } },
  { act: { isHtml: true } },
  { act: { status: 500 }, isEverywhere: true },
  { act: { status: 400 }, isEverywhere: true },
  { act: { chunks: 30, resetAt: 300 }, isEverywhere: true },
  { act: { chunks: 30, cutAt: 300 }, isEverywhere: true },
  { act: { usage: "missing" }, isEverywhere: true },
  { act: { usage: "negative" }, isEverywhere: true },
];

export const row: ScorecardRow = {
  id: "R28",
  title: "soak",
  seededBug: {
    name: "forgotten_connections",
    says: "one in ten connections is forgotten instead of used again or closed",
    edits: [{
      file: "src/providers/transport/connection_pool.ts",
      find: "connections.push(connection);",
      replace: "    if (Math.random() > 0.1) connections.push(connection);",
    }],
  },
  withinMs: 5 * 60 * 60_000,
  async run({ size, random, folder, note }) {
    const minutes = Number(
      Deno.env.get("TORTURE_SOAK_MINUTES") ?? size.pick({ commit: 0.15, full: 30 }),
    );
    /** A "minute" of a short run is shorter. */
    const minuteMs = Math.min(60_000, minutes * 60_000 / 10);
    const found = new RowFinding(
      `${minutes} minutes at ${CALLS_PER_SECOND} calls a second, 1 % faults`,
    );
    const logFile = `${folder}/upstream.log`;
    await using upstream = await startFaultUpstream({ logFile, keepsRecords: false });
    await using gateway = await serveGateway({ catalogue: CATALOGUE(upstream.url) });
    await gateway.credit("paying", "9000000");
    const key = await gateway.key("paying");
    const pid = gateway.server.process.pid;

    const before = await lookAtProcess(pid);
    const port = Number(new URL(gateway.url).port);
    const requests = requestsOf(key, random);
    const isLong = minutes >= 1;
    const atFullSpeed = async (when: keyof typeof GROWING_CALLS) => {
      const grown = await fullSpeed(pid, { port, requests, when });
      note(
        `R28 ${grown.answered} whole answers at full speed ${when}, ${
          grown.seconds.toFixed(0)
        } s: ` +
          `${grown.memoryMb.toFixed(1)} MiB`,
      );
      return grown;
    };
    const grownBefore = isLong ? await atFullSpeed("before") : undefined;
    const startedAt = performance.now();
    const endAt = startedAt + minutes * 60_000;
    const left = leaveAgainAndAgain(gateway, { key, endAt });
    const load = runLoad({
      ...{ port, connections: CONNECTIONS, requests },
      seconds: minutes * 60,
      perSecond: CALLS_PER_SECOND,
    });
    const looks = await watchProcess(pid, {
      everyMs: Math.min(LOOK_EVERY_MS, minuteMs / 5),
      work: () => load,
    });
    const { answered, failed, latency } = await load;
    const loadedSeconds = (performance.now() - startedAt) / 1000;
    note(`R28 ${answered} whole answers, others ${JSON.stringify(failed)}, ${await left} left`);
    await found.during(
      "the upstream's connections",
      () => upstream.ended(),
    );
    const minima = minimaOf(looks, { startedAt, endAt, minuteMs });
    const list = (name: "memoryMb" | "openFiles", digits: number) =>
      minima.map((one) => one[name].toFixed(digits)).join(" ");
    note(`R28 least memory of each minute, MiB: ${list("memoryMb", 1)}`);
    note(`R28 fewest open files of each minute: ${list("openFiles", 0)}`);
    const counted = minima.slice(Math.ceil(minima.length * WARM_UP_SHARE));
    const half = Math.floor(counted.length / 2);
    const least = (some: typeof counted) => Math.min(...some.map(({ memoryMb }) => memoryMb));
    // Minutes differ by the garbage that waits to be collected; what leaks raises the least of many.
    const within = least(counted.slice(half)) - least(counted.slice(0, half));
    const grownAfter = isLong ? await atFullSpeed("after") : undefined;
    const rise = grownAfter === undefined ? within : grownAfter.memoryMb - grownBefore!.memoryMb;
    const atFullSpeedToo = (grownBefore?.answered ?? 0) + (grownAfter?.answered ?? 0);
    const wholeAnswers = answered + atFullSpeedToo + (isLong ? 1 : 0);
    const after = await afterTheLoad(pid, { waitsForIdle: isLong, gateway, key });
    const rows = await quietBooks(gateway.server.dataDir);
    const calls = rows.calls.length - atFullSpeedToo;
    found.tried = `${calls} calls in ${minutes} minutes, 1 % faults, ${await left} callers left` +
      (isLong ? `; ${atFullSpeedToo} whole answers at full speed before and after` : "");
    found.count("open files' rise", after.openFiles - before.openFiles, { atMost: after.spare });
    found.measure("memory's rise", rise, { atMost: 5, unit: "MiB" });
    found.measure("memory at the end", counted.at(-1)!.memoryMb, { unit: "MiB" });
    found.time("p50", latency.p50Ms);
    found.time("p99", latency.p99Ms);
    const ended = answered + Object.values(failed).reduce((sum, count) => sum + count, 0);
    found.measure("calls a second", ended / loadedSeconds, {
      atLeast: CALLS_PER_SECOND * 0.98,
      unit: "",
    });
    const settled = rows.calls.filter(({ result, charged }) =>
      result !== "client_aborted" && charged > 0n
    );
    found.count("upstream completions not settled", completed(logFile) - settled.length, {
      exactly: 0,
    });
    found.require(
      settled.length === wholeAnswers,
      `${wholeAnswers} calls were answered whole, and ${settled.length} are charged`,
    );
    found.requireNone(checkBookRows(rows));
    found.requireNone(await ledgerDifferences(gateway.server.dataDir));
    return found;
  },
};

/**
 * As many calls as the program takes; memory is the least of the last looks, when some was collected:
 * of as many, whenever it is, as more of them would find less.
 */
async function fullSpeed(
  pid: number,
  { port, requests, when }: {
    readonly port: number;
    readonly requests: readonly string[];
    readonly when: keyof typeof GROWING_CALLS;
  },
): Promise<{ readonly answered: number; readonly seconds: number; readonly memoryMb: number }> {
  const load = runLoad({
    ...{ port, connections: CONNECTIONS, requests },
    ...{ seconds: GROWING_MOST_SECONDS, maxRequests: GROWING_CALLS[when] },
  });
  const looks = await watchProcess(pid, { everyMs: LOOK_EVERY_MS, work: () => load });
  const { answered, seconds } = await load;
  const last = looks.slice(-GROWING_LAST_MS / LOOK_EVERY_MS);
  return { answered, seconds, memoryMb: Math.min(...last.map(({ memoryMb }) => memoryMb)) };
}

/**
 * Open files once the load is over. A short run does not wait until connections to the upstream that
 * are kept for the next call have been idle for too long; as many of them are spare.
 */
async function afterTheLoad(pid: number, { waitsForIdle, gateway, key }: {
  readonly waitsForIdle: boolean;
  readonly gateway: ServedGateway;
  readonly key: string;
}): Promise<{ readonly openFiles: number; readonly spare: number }> {
  if (waitsForIdle) {
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const messages = [{ role: "user", content: scriptPrompt({ tag: REQUESTS - 2 }) }];
    const response = await gateway.chat(key, { model: "m", max_tokens: 200, messages });
    await response.body?.cancel();
  }
  const { openFiles } = await lookAtProcess(pid);
  return { openFiles, spare: FEW + (waitsForIdle ? 0 : KEPT_CONNECTIONS) };
}

/** What the generator sends in turn; the script of each request says how it goes. */
function requestsOf(key: string, random: SeededRandom): readonly string[] {
  return Array.from({ length: REQUESTS }, (_, index) => {
    const isStream = random.chance(0.5);
    const good: UpstreamAct = {
      delayMs: random.integer(0, 40),
      chunks: random.integer(1, 20),
      usage: { prompt: random.integer(10, 200), completion: random.integer(1, 200) },
    };
    const fault = index % 100 === 99 ? FAULTS[Math.floor(index / 100) % FAULTS.length] : undefined;
    const script = {
      tag: index,
      acts: [fault?.isEverywhere === true ? { ...good, ...fault.act } : good],
      ...(fault !== undefined && fault.isEverywhere !== true &&
        { actsOf: { "m-first": [fault.act] } }),
    };
    return postRequest("chat/completions", key, {
      model: "m",
      stream: isStream,
      max_tokens: 200,
      messages: [{ role: "user", content: scriptPrompt(script) }],
    });
  });
}

/** Callers that leave in the middle of a stream, one after the other; gives how many. */
async function leaveAgainAndAgain(
  gateway: ServedGateway,
  { key, endAt }: { readonly key: string; readonly endAt: number },
): Promise<number> {
  let count = 0;
  while (performance.now() < endAt - LEAVE_EVERY_MS) {
    const acts: readonly UpstreamAct[] = [{ chunks: 9, stallAfterChunks: 3 }];
    const body = {
      model: "m",
      stream: true,
      max_tokens: 200,
      messages: [{ role: "user", content: scriptPrompt({ tag: REQUESTS + count++, acts }) }],
    };
    await cutShort(gateway.url, { key, body, chunks: 3, leaveWhen: new Promise(() => {}) });
    await new Promise((resolve) => setTimeout(resolve, LEAVE_EVERY_MS));
  }
  return count;
}

/** The least of every whole minute. */
function minimaOf(
  looks: readonly ProcessLook[],
  { startedAt, endAt, minuteMs }: {
    readonly startedAt: number;
    readonly endAt: number;
    readonly minuteMs: number;
  },
): readonly Omit<ProcessLook, "at">[] {
  const count = Math.floor((endAt - startedAt) / minuteMs);
  const minutes = Array.from({ length: count }, (_, minute) => {
    const from = startedAt + minute * minuteMs;
    const within = looks.filter(({ at }) => at >= from && at < from + minuteMs);
    return {
      memoryMb: Math.min(...within.map(({ memoryMb }) => memoryMb)),
      openFiles: Math.min(...within.map(({ openFiles }) => openFiles)),
    };
  });
  // A busy machine may leave no time to look in each of the minutes of a short run.
  return minutes.filter(({ memoryMb }) => memoryMb < Infinity);
}

function completed(logFile: string): number {
  return readUpstreamLog(logFile).filter(({ outcome }) => outcome === "completed").length;
}
