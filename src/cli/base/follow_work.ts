/**
 * Long work of a command: it is waited for, its progress shown, and Ctrl-C ends it, not only the command.
 *
 * @module
 */

import { cancelJob, type JobRow, type JobView, showJob } from "../../admin/jobs/jobs.ts";
import { isUnderWay } from "../../admin/base/job.ts";
import type { AdminClient } from "../../admin/base/client.ts";
import { progressWords, type WorkWatcher } from "../../admin/base/work_progress.ts";
import { CommandFailure, exitCodeFor } from "./failure.ts";
import { ProgressLine } from "./progress_line.ts";
import type { Terminal } from "./terminal.ts";

/** Between two looks at a job: soon at first, as most are short. */
const FIRST_LOOK_MS = 20;
const MOST_LOOK_MS = 500;
/** The shell's convention: 128 and the signal's number. */
const EXIT_INTERRUPTED = 130;

/** Runs work in this process that a Ctrl-C ends. */
export async function followHere<Answer>(
  terminal: Terminal,
  run: (watcher: WorkWatcher) => Promise<Answer>,
): Promise<Answer> {
  const line = new ProgressLine(terminal, () => performance.now());
  const abort = new AbortController();
  using _ = onInterrupt(terminal, () => abort.abort());
  try {
    return await run({
      signal: abort.signal,
      onProgress: (progress) => line.tell(progressWords(progress)),
    });
  } catch (error) {
    throw abort.signal.aborted ? cancelled() : error;
  } finally {
    line.end();
  }
}

/**
 * Waits for a server's job; gives what its operation answers.
 *
 * @throws {CommandFailure} With the job's error, or when it was cancelled.
 */
export async function followJob(
  terminal: Terminal,
  client: AdminClient,
  { id: job_id }: Pick<JobRow, "id">,
): Promise<unknown> {
  const line = new ProgressLine(terminal, () => performance.now());
  let cancelling: Promise<unknown> | undefined;
  using _ = onInterrupt(terminal, () => {
    // One that has ended meanwhile is told by the next look.
    cancelling = client.call(cancelJob, { job_id }).catch(() => {});
  });
  try {
    for (let waitMs = FIRST_LOOK_MS;; waitMs = Math.min(MOST_LOOK_MS, waitMs * 2)) {
      const job = await client.call(showJob, { job_id });
      // One whose process is gone has ended, though nobody saw when.
      if (!isUnderWay(job)) return resultOf(job);
      if (job.progress !== null) line.tell(jobWords(job));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  } finally {
    line.end();
    await cancelling;
  }
}

/** How far a job is, such as `Repricing calls: 10 of 40 rows, about 3 s left`. */
export function jobWords({ state, progress, remaining_seconds: left }: Omit<JobRow, "id">): string {
  const far = progress === null ? "Begun" : progressWords(progress);
  const rest = left === null ? "" : `, about ${left} s left`;
  return state === "cancelling" ? `Cancelling. ${far}` : far + rest;
}

function resultOf({ id, state, result, error }: JobView): unknown {
  if (state === "completed") return result;
  if (state === "cancelled") throw cancelled();
  if (error !== null) {
    throw new CommandFailure(error.message, { exitCode: exitCodeFor(error.code) });
  }
  throw new CommandFailure(`Job ${id} was ${state}: the gateway stopped. Ask again`);
}

function cancelled(): CommandFailure {
  return new CommandFailure("Cancelled", { exitCode: EXIT_INTERRUPTED });
}

/** The first Ctrl-C is for `act`; the second ends the process. */
function onInterrupt(terminal: Terminal, act: () => void): Disposable {
  let isAsked = false;
  function onSignal(): void {
    if (isAsked) terminal.exit(EXIT_INTERRUPTED);
    isAsked = true;
    act();
  }
  Deno.addSignalListener("SIGINT", onSignal);
  return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGINT", onSignal) };
}
