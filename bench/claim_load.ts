/**
 * The gateway's own runner over a real data dir, in this process, with work that is put back the
 * moment it is claimed: what is left of a task's life is its claim.
 *
 * @module
 */

import { openCore } from "../src/app/gateway.ts";
import { delay } from "../src/gateway/delay.ts";
import { DiskRoom } from "../src/videos/keep/disk_room.ts";
import type { Executor } from "../src/videos/make/executor.ts";
import { TaskFinisher } from "../src/videos/work/finish_task.ts";
import { JobCanceller } from "../src/videos/make/job_canceller.ts";
import { Rerouter } from "../src/videos/work/reroute.ts";
import { Runner } from "../src/videos/work/runner.ts";
import type { RunnerEvent } from "../src/videos/task/runner_event.ts";
import { median } from "./measure_load.ts";
import { cpuMicroseconds } from "./process_stats.ts";

/** What claims cost. */
export interface ClaimLoad {
  readonly claims: number;
  /** Tasks that were claimed: some come again. */
  readonly tasks: number;
  /** CPU time of the process for one claim and for putting the task back. */
  readonly cpuUs: number;
  /** From the last task's return to the next one's claim being on disk, milliseconds. */
  readonly p50Ms: number;
}

const WARM_UP_SECONDS = 1;
const STOP_MS = 5_000;

/** Claims one task after the other. */
export async function claimFor(dataDir: string, seconds: number): Promise<ClaimLoad> {
  const core = await openCore({
    dataDir,
    processKind: "cli",
    socketPath: undefined,
    catalogueOwner: undefined,
    disk: { reserveBytes: 0, keptBytesPerProject: 0 },
    resolveSecret: (reference) => ({ ok: false, message: `${reference} has no value` }),
    onTrouble: fail,
    onPause: fail,
    onKeptFull: () => {},
    onVideoTrouble: (_what, error) => fail(error),
    onStorageLost: fail,
  });
  try {
    return await measure(core, seconds);
  } finally {
    await core.close();
  }
}

async function measure(
  core: Awaited<ReturnType<typeof openCore>>,
  seconds: number,
): Promise<ClaimLoad> {
  const { book } = core;
  const claimedMs: number[] = [];
  const tasks = new Set<string>();
  let freedAt = performance.now();
  book.subscribe((_, after) => {
    if (after?.lease === undefined) freedAt = performance.now();
    else {
      claimedMs.push(performance.now() - freedAt);
      tasks.add(after.id);
    }
  });
  const runner = runnerOf(core);
  const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await runner.start();
  await pass(WARM_UP_SECONDS * 1000);
  claimedMs.length = 0;
  const cpuBeforeUs = cpuMicroseconds(Deno.pid);
  await pass(seconds * 1000);
  const cpuUs = cpuMicroseconds(Deno.pid) - cpuBeforeUs;
  const claims = claimedMs.length;
  const p50Ms = median(claimedMs);
  await runner.stop(STOP_MS);
  return { claims, tasks: tasks.size, cpuUs: cpuUs / claims, p50Ms };
}

function runnerOf(core: Awaited<ReturnType<typeof openCore>>) {
  const { admin, book, files, films, leftovers, health, capacity, reserve } = core;
  const { clock, random, catalogue, registry, directory, storage } = admin;
  const onEvent = (event: RunnerEvent) => {
    if (event.kind === "trouble") fail(event.error);
  };
  const putBack: Executor = {
    run: () => Promise.resolve({ kind: "postponed", waitMs: 0, why: "bench" }),
  };
  const room = new DiskRoom({ book, files, freeBytes: () => reserve.freeBytes(files.folder) });
  const canceller = new JobCanceller({ registry, onEvent });
  return new Runner({
    ...{ book, files, leftovers, clock, random, catalogue, registry, health, onEvent, delay },
    sessions: core.sessions,
    localWorkers: 1,
    pauses: core.videos.pauses,
    tasksPerProject: 4,
    bytesBeside: (underWay) => room.bytesBeside(underWay),
    local: putBack,
    upstream: putBack,
    canceller,
    finisher: new TaskFinisher({
      ...{ book, films, leftovers, clock, canceller, onEvent },
      prices: storage.catalogue,
      expiryOf: () => undefined,
    }),
    rerouter: new Rerouter({
      ...{ book, catalogue, health, capacity, clock, random, directory, onEvent },
    }),
  });
}

function fail(error: unknown): never {
  throw new Error("Cannot measure claims: something else went wrong", { cause: error });
}
