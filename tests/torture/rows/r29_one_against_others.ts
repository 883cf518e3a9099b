/**
 * R29: one project does its worst, and the others are served as before. What they wait for is held
 * against what calls at a second gateway wait for at the same time, to which nothing is done: who
 * sends so much takes the machine's processors too.
 *
 * @module
 */

import type { LoadResult } from "../../../bench/load_plan.ts";
import { runLoad } from "../../../bench/measure_load.ts";
import { postRequest } from "../../../bench/post_request.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { SmallDisk } from "../../support/small_disk.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { HOSTILE_BODIES } from "../hostile/bodies.ts";
import { HOSTILE_CALLS } from "../hostile/calls.ts";
import { HOSTILE_CONNECTIONS } from "../hostile/connections.ts";
import { DISK_FILLERS } from "../hostile/fillers.ts";
import type { Hostility } from "../hostile/hostile_world.ts";
import { measureLoopLag } from "../loop_lag.ts";
import { mostMemoryMb, watchProcess } from "../process_watch.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const OPEN_FILES = 512;
const DISK_BYTES = 256 * 1024 ** 2;
const OTHERS_PER_SECOND = 50;
/** The hostile ones have the first word. */
const HEAD_START_MS = 300;
/** The processors' own turns: with two of them, and five processes that want them, less says nothing. */
const LEAST_MS = 50;

function catalogue(upstreamUrl: string): string {
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: remote, kind: openai_compatible, base_url: "${upstreamUrl}", auth: none }
models:
  - id: plain
    kind: chat
    routes:
      - { id: builtin/plain, provider: builtin, upstream_model: echo-1, sale: { input: "0.01", output: "0.01" } }
  - id: shared
    kind: chat
    routes:
      - { id: remote/shared, provider: remote, upstream_model: m, sale: { input: "0.01", output: "0.01" } }
  - id: slow
    kind: chat
    routes:
      - { id: builtin/slow, provider: builtin, upstream_model: "echo-1:slow-20", sale: { input: "0.01", output: "0.01" } }
  - id: embed
    kind: embedding
    routes:
      - { id: builtin/embed, provider: builtin, upstream_model: hash-embed-1, sale: { input: "0.01" } }
  - id: film
    kind: video
    routes:
      - { id: builtin/film, provider: builtin, upstream_model: video-2, video: { sizes: [640x360], seconds: [1] }, sale: { second: "0.01" } }
projects:
  - { id: default, unlimited: true }
  - { id: others, unlimited: false }
  - { id: poor, unlimited: false }
  - { id: rich, unlimited: false }
`;
}

export const row: ScorecardRow = {
  id: "R29",
  title: "one project against the others",
  tools: ["bash", "a small disk"],
  seededBug: {
    name: "newcomers_stay_out",
    says: "a listener that is full of idle connections closes newcomers",
    edits: [{
      file: "src/http/listener/connection_set.ts",
      find: "return this.size < all || this.#holding() < all || this.closeLongestWaiting();",
      replace: "return this.size < all || this.#holding() < all;",
    }],
  },
  async run({ size, note }) {
    const seconds = size.pick({ commit: 1, full: 10 });
    const hostilities = [...HOSTILE_BODIES, ...HOSTILE_CONNECTIONS, ...HOSTILE_CALLS];
    const count = hostilities.length + DISK_FILLERS.length;
    const found = new RowFinding(`${count} hostilities of ${seconds} s each`);
    const endurance = { found, note, seconds };
    const look = await endure(hostilities, endurance);
    await using disk = await SmallDisk.mount(DISK_BYTES);
    const onSmallDisk = await endure(DISK_FILLERS, {
      ...endurance,
      // Long enough for more than the disk has room for.
      seconds: size.pick({ commit: 5, full: 30 }),
      dataDir: `${disk.folder}/data`,
    });
    for (const [name, { quiet, worst }] of [["", look], [", small disk", onSmallDisk]] as const) {
      found.time(`others' p99 before${name}`, quiet.callsMs);
      found.time(`and at worst, ${worst.during}`, worst.callsMs, { atMost: mostMs(worst) });
      found.time("at a gateway that is left alone, at that time", worst.aloneMs);
      found.time(`/healthz p99 before${name}`, quiet.healthMs);
      found.time("and at worst", worst.healthMs, { atMost: mostMs(worst) });
    }
    found.measure("memory's rise", look.worst.memoryMb - look.quiet.memoryMb, {
      atMost: 1_024,
      unit: "MiB",
    });
    return found;
  },
};

/** What others waited for, and what the program took. */
interface Endured {
  readonly during: string;
  readonly callsMs: number;
  /** Of the same calls at a gateway that is left alone. */
  readonly aloneMs: number;
  readonly healthMs: number;
  readonly memoryMb: number;
}

/** Has each hostility done to a gateway of its own, and looks how the others fare beside it. */
async function endure(
  hostilities: readonly Hostility[],
  { found, note, seconds, dataDir }: {
    readonly found: RowFinding;
    readonly note: (line: string) => void;
    readonly seconds: number;
    readonly dataDir?: string;
  },
): Promise<{ readonly quiet: Endured; readonly worst: Endured }> {
  await using upstream = await startFaultUpstream();
  await using gateway = await serveGateway({
    openFiles: OPEN_FILES,
    catalogue: catalogue(upstream.url),
    ...(dataDir === undefined ? {} : { dataDir, expectKey: true }),
  });
  await using alone = await serveGateway({ catalogue: catalogue(upstream.url) });
  for (const each of [gateway, alone]) await each.credit("others", "1000");
  await gateway.credit("rich", "1000");
  const [key, keyOfAlone, poor, rich] = [
    await gateway.key("others"),
    await alone.key("others"),
    await gateway.key("poor"),
    await gateway.key("rich"),
  ];
  const { pid } = gateway.server.process;
  const look = async (during: string): Promise<Endured> => {
    let calls: LoadResult | undefined;
    let health: LoadResult | undefined;
    let callsAlone: LoadResult | undefined;
    const looks = await watchProcess(pid, {
      everyMs: 200,
      work: async () => {
        [calls, health, callsAlone] = await Promise.all([
          othersCalls(gateway, key, seconds),
          measureLoopLag(gateway.url, seconds),
          othersCalls(alone, keyOfAlone, seconds),
        ]);
      },
    });
    for (const [what, { failed }] of [["calls", calls!], ["/healthz", health!]] as const) {
      found.require(
        Object.keys(failed).length === 0,
        `${during}, others' ${what} failed: ${JSON.stringify(failed)}`,
      );
    }
    const endured = {
      during,
      callsMs: calls!.latency.p99Ms,
      aloneMs: callsAlone!.latency.p99Ms,
      healthMs: health!.latency.p99Ms,
      memoryMb: mostMemoryMb(looks),
    };
    note(
      `R29 ${during}: others' p99 ${endured.callsMs.toFixed(1)} ms, ` +
        `${endured.aloneMs.toFixed(1)} ms at a gateway that is left alone, ` +
        `/healthz ${endured.healthMs.toFixed(1)} ms, memory ${endured.memoryMb.toFixed(0)} MiB`,
    );
    return endured;
  };
  // The first look warms the program up: it is no baseline.
  await look("before");
  const quiet = await look("in quiet");
  let worst = quiet;
  for (const hostility of hostilities) {
    await found.during(hostility.name, async () => {
      const ending = new AbortController();
      const doing = hostility.run({ gateway, poor, rich, signal: ending.signal });
      try {
        await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS));
        worst = worstOf(worst, await look(`beside ${hostility.name}`));
      } finally {
        ending.abort();
        await doing;
      }
    });
  }
  await found.during("the books", async () => {
    found.requireNone(checkBookRows(await quietBooks(gateway.server.dataDir)));
    found.requireNone(await ledgerDifferences(gateway.server.dataDir));
  });
  return { quiet, worst };
}

/** Twice what the same calls wait for where nothing is done. */
function mostMs({ aloneMs }: Endured): number {
  return Math.max(LEAST_MS, 2 * aloneMs);
}

function worstOf(one: Endured, other: Endured): Endured {
  const worse = other.callsMs / mostMs(other) > one.callsMs / mostMs(one) ? other : one;
  return {
    ...worse,
    healthMs: Math.max(one.healthMs, other.healthMs),
    memoryMb: Math.max(one.memoryMb, other.memoryMb),
  };
}

/** What others ask for in the meantime. */
function othersCalls(gateway: ServedGateway, key: string, seconds: number): Promise<LoadResult> {
  return runLoad({
    port: Number(new URL(gateway.url).port),
    connections: 4,
    seconds,
    perSecond: OTHERS_PER_SECOND,
    requests: ["plain", "shared"].map((model) =>
      postRequest("chat/completions", key, {
        model,
        max_tokens: 100,
        messages: [{ role: "user", content: "Good morning" }],
      })
    ),
  });
}
