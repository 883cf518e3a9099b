/**
 * Measures where the writer should live: in the serving thread or in a Worker.
 *
 * Each call enqueues its hold, waits for a pretended upstream and commits its
 * close, as the gateway does. The first line is the same loop without storage:
 * what it costs is taken off the others. Run it with
 * `deno run -P=test bench/commit_placement.ts [seconds per line]`.
 *
 * @module
 */

import type { CommitQueue } from "../src/storage/ports/commit_queue.ts";
import type { Storage } from "../src/storage/ports/storage.ts";
import { GatheringQueue } from "../src/storage/commit_queue.ts";
import { createSqliteStorage } from "../src/storage/sqlite/sqlite_storage.ts";
import { createWorkerStorage } from "../src/storage/sqlite/worker_client.ts";
import { cpuMicroseconds } from "./process_stats.ts";

const SECONDS = Number(Deno.args[0] ?? 2);
const UPSTREAM_MS = Number(Deno.args[1] ?? 2);

/** Compiling the hot code in a second thread takes a while and is paid once. */
const WARM_UP_MS = 2_500;

interface Placement {
  readonly name: string;
  /** `undefined`: no storage at all. */
  readonly open: ((path: string, commitDelayMs: number) => Promise<Storage>) | undefined;
}

const PLACEMENTS: readonly Placement[] = [
  { name: "no storage", open: undefined },
  { name: "in thread", open: openInThread },
  { name: "Worker", open: (path, commitDelayMs) => createWorkerStorage(path, { commitDelayMs }) },
];

interface Figures {
  readonly calls: number;
  readonly cpuMicroseconds: number;
  readonly batches: number;
  readonly latenciesMs: number[];
  readonly lagsMs: number[];
}

function openInThread(path: string, commitDelayMs: number): Promise<Storage> {
  const storage = createSqliteStorage(path);
  if (commitDelayMs === 0) return Promise.resolve(storage);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  return Promise.resolve({
    ...storage,
    commitBatch(batch) {
      Atomics.wait(cell, 0, 0, commitDelayMs);
      return storage.commitBatch(batch);
    },
  });
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function percentile(values: number[], share: number): number {
  if (values.length === 0) return 0;
  values.sort((a, b) => a - b);
  return values[Math.min(values.length - 1, Math.floor(values.length * share))]!;
}

/** One call's life. */
async function runCall(queue: CommitQueue | undefined, callId: number): Promise<number> {
  const open = {
    callId,
    requestId: `req_k3v9x2m7q1_${callId.toString(36)}`,
    projectId: "bench",
    keyId: "key_bench",
    capability: "chat",
    model: "gpt-5-mini",
    provider: "openai",
    route: `openai/gpt-5-mini-${callId % 20}`,
    priceVersion: 1 + callId % 20,
    heldE8: 41_250n,
    unlimited: false,
    stream: false,
    openedAt: Date.now(),
  } as const;
  queue?.enqueue({ kind: "hold", call: open });
  await after(UPSTREAM_MS);
  const started = performance.now();
  if (queue !== undefined) {
    const result = await queue.commit({
      kind: "close",
      call: {
        ...open,
        state: "settled",
        result: "completed",
        closedAt: Date.now(),
        firstByteMs: undefined,
        attempts: 1,
        work: { input: 812, output: 100, reasoning: 64 },
        usageSource: "reported",
        costE8: 53_100n,
        saleE8: 58_410n,
        chargedE8: 41_250n,
        lossE8: 0n,
        errorCode: undefined,
      },
    });
    if (!result.ok) throw new Error(`Cannot close call ${callId}: ${result.message}`);
  }
  return performance.now() - started;
}

async function measure(
  placement: Placement,
  { loops, commitDelayMs }: { readonly loops: number; readonly commitDelayMs: number },
): Promise<Figures> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate_bench_" });
  const storage = await placement.open?.(`${folder}/tollgate.db`, commitDelayMs);
  let batches = 0;
  const queue = storage && new GatheringQueue({
    write: (batch) => {
      batches++;
      return storage.commitBatch(batch);
    },
  });
  const settings = { models: ["*"], limits: {}, budgets: {}, quotas: {} };
  const project = { id: "bench", unlimited: false, disabled: false, ...settings, createdAt: 0 };
  await queue?.commit({ kind: "create_project", project });
  await queue?.commit({
    kind: "credit",
    projectId: "bench",
    amountE8: 900_000_000_000_000_000n,
    reference: undefined,
    at: 0,
  });

  let callId = 0;
  let until = performance.now() + WARM_UP_MS;
  const latenciesMs: number[] = [];
  const loop = async () => {
    while (performance.now() < until) latenciesMs.push(await runCall(queue, ++callId));
  };
  const runLoops = () => Promise.all(Array.from({ length: loops }, loop));
  await runLoops(); // to warm up
  latenciesMs.length = 0;
  batches = 0;
  const lagsMs: number[] = [];
  let expected = performance.now() + 5;
  const lagTimer = setInterval(() => {
    const now = performance.now();
    lagsMs.push(Math.max(0, now - expected));
    expected = now + 5;
  }, 5);
  const cpuBefore = cpuMicroseconds(Deno.pid);
  until = performance.now() + SECONDS * 1000;
  await runLoops();
  const cpu = cpuMicroseconds(Deno.pid) - cpuBefore;
  clearInterval(lagTimer);
  const calls = latenciesMs.length;
  await queue?.flush();
  await storage?.close();
  await Deno.remove(folder, { recursive: true });
  return { calls, cpuMicroseconds: cpu / calls, batches, latenciesMs, lagsMs };
}

function print(cells: readonly (string | number)[]): void {
  const texts = cells.map((cell) => typeof cell === "number" ? cell.toFixed(2) : cell);
  Deno.stdout.writeSync(
    new TextEncoder().encode(texts.map((text) => text.padStart(11)).join("") + "\n"),
  );
}

print([`Deno ${Deno.version.deno}, upstream ${UPSTREAM_MS} ms`]);
print([
  "loops",
  "sync +ms",
  "placement",
  "calls/s",
  "calls/batch",
  "cpu µs",
  "over idle",
  "commit p50",
  "p99",
  "lag p99",
]);
for (const commitDelayMs of [0, 10]) {
  for (const loops of [32, 1]) {
    let idle = 0;
    for (const placement of PLACEMENTS) {
      const figures = await measure(placement, { loops, commitDelayMs });
      if (placement.open === undefined) idle = figures.cpuMicroseconds;
      print([
        String(loops),
        String(commitDelayMs),
        placement.name,
        (figures.calls / SECONDS).toFixed(0),
        figures.batches === 0 ? "-" : figures.calls / figures.batches,
        figures.cpuMicroseconds,
        figures.cpuMicroseconds - idle,
        percentile(figures.latenciesMs, 0.5),
        percentile(figures.latenciesMs, 0.99),
        percentile(figures.lagsMs, 0.99),
      ]);
    }
  }
}
