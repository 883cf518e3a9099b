/**
 * The Worker for long work on databases: copies and checks them, and writes archives of
 * them, which takes seconds, on a thread of its own.
 *
 * @module
 */

import { parentPort, workerData } from "node:worker_threads";
import type { WorkProgress } from "../admin/base/work_progress.ts";
import { MAINTENANCE } from "./database/maintenance.ts";
import { diagnoseBeside } from "./doctor/diagnose_beside.ts";
import { lookBefore } from "./archives/look_before.ts";
import { proveRuns, takeUpRuns } from "./archives/prove_run_archive.ts";
import { writeArchive } from "./archives/write_archive.ts";
import type { JobReply, JobResults, JobStart, LongJob } from "./jobs/worker_protocol.ts";
import { writeBackup } from "./backups/write_backup.ts";

const STOP_LOOK_MS = 100;

if (parentPort !== null) void answer(workerData as JobStart);

async function answer({ job, stop }: JobStart): Promise<void> {
  const reply = (message: JobReply) => parentPort!.postMessage(message);
  // It stays until it is ended: on some runtimes a Worker that ends by itself may take along what
  // it said last.
  parentPort!.on("message", () => {});
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  // The copy is one call without a turn of the event loop; reading the books has many.
  function onStep(): void {
    if (Atomics.load(stop, 0) !== 0) throw new Error("The gateway is stopping");
  }
  const onProgress = (progress: WorkProgress) => reply({ progress });
  const timer = setInterval(() => {
    try {
      onStep();
    } catch (error) {
      reject(error);
    }
  }, STOP_LOOK_MS);
  try {
    reply({ value: await Promise.race([perform(job, { onStep, onProgress }), stopped]) });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    reply({ error: { name, message } });
  } finally {
    clearInterval(timer);
  }
}

async function perform(
  job: LongJob,
  { onStep, onProgress }: {
    readonly onStep: () => void;
    readonly onProgress: (progress: WorkProgress) => void;
  },
): Promise<JobResults[keyof JobResults]> {
  switch (job.kind) {
    case "write":
      return await writeBackup({ ...job, onStep, onProgress });
    case "check":
      return MAINTENANCE.checkPages(job.database) as undefined;
    case "look_before":
      return lookBefore(job);
    case "archive":
      return await writeArchive({ ...job, onStep, onProgress });
    case "prove_runs":
      return await proveRuns({ ...job, onStep });
    case "take_up_runs":
      return await takeUpRuns({ ...job, onStep });
    case "diagnose":
      return await diagnoseBeside(job);
  }
}
