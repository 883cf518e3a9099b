/**
 * Asks after an upstream's job until its outcome is known. That the upstream
 * cannot be asked says nothing about the job.
 *
 * @module
 */

import type { VideoReport } from "../../providers/contract/video_upstream.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Attempt } from "../task/attempt.ts";
import { type AttemptEnd, STOPPED } from "./executor.ts";
import {
  asUpstreamError,
  backoffMs,
  type JobAtUpstream,
  type UpstreamExecutorOptions,
} from "./upstream_work.ts";

const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 5_000;
const WAIT_GROWTH = 1.5;
/** An upstream's Retry-After is believed up to this. */
const MOST_ASKED_WAIT_MS = 60_000;

/** The end of the attempt; `undefined` when the job is completed. */
export async function pollJob(
  options: UpstreamExecutorOptions,
  attempt: Attempt,
  { upstream, job }: JobAtUpstream,
): Promise<AttemptEnd | undefined> {
  const { signal } = attempt;
  let waitMs = FIRST_WAIT_MS;
  let failures = 0;
  let isUnknownTold = false;
  for (;;) {
    await options.delay(waitMs, signal);
    if (attempt.stopped !== undefined) return STOPPED;
    const startedAt = options.clock.monotonic();
    const { route, projectId } = attempt.task;
    const record = (outcome: "success" | "broken") =>
      options.health.record(route, { startedAt, projectId, outcome });
    try {
      const report = await upstream.status(job, signal);
      if (attempt.stopped !== undefined) return STOPPED;
      attempt.alive();
      if (failures > 0) record("success");
      failures = 0;
      waitMs = Math.min(MOST_WAIT_MS, waitMs * WAIT_GROWTH);
      const { status, progress, unknownStatus } = report;
      if (unknownStatus !== undefined && !isUnknownTold) {
        isUnknownTold = true;
        options.onEvent({
          kind: "unknown_status",
          job: job.id,
          status: unknownStatus,
          ...attempt.name,
        });
      }
      if (status === "completed") return undefined;
      if (status === "failed") return failed(report);
      if (status === "lost") {
        record("broken");
        return lost();
      }
      if (progress !== undefined) attempt.progress(progress);
    } catch (caught) {
      if (attempt.stopped !== undefined) return STOPPED;
      attempt.alive();
      failures++;
      waitMs = notePollFailure(options, { attempt, startedAt, failures, caught });
    }
  }
}

/** The upstream's own words, whatever they are: it knows best why. */
function failed({ error }: VideoReport): AttemptEnd {
  return {
    kind: "hopeless",
    code: error?.code ?? "video_generation_failed",
    message: error?.message ?? "The upstream could not make this video",
  };
}

/** Such upstreams forget their jobs when they restart. */
function lost(): AttemptEnd {
  const error = new UpstreamError("broken", "The upstream has lost the job");
  return { kind: "broken", error, dropsJob: true };
}

/** Gives the time to wait before the next try. */
function notePollFailure(
  { health, onEvent }: UpstreamExecutorOptions,
  { attempt, startedAt, failures, caught }: {
    readonly attempt: Attempt;
    readonly startedAt: number;
    readonly failures: number;
    readonly caught: unknown;
  },
): number {
  const error = asUpstreamError(caught);
  const { failure, status, fault, retryAfterSeconds } = error;
  const { route, projectId } = attempt.task;
  const sample = { startedAt, outcome: failure, projectId, status, fault, retryAfterSeconds };
  health.record(route, sample);
  // The 1st, 2nd, 4th, 8th …: an upstream may be away for hours.
  if ((failures & (failures - 1)) === 0) {
    onEvent({ kind: "poll_failed", inARow: failures, error, ...attempt.name });
  }
  const askedMs = Math.min(MOST_ASKED_WAIT_MS, (retryAfterSeconds ?? 0) * 1_000);
  return Math.max(backoffMs(failures), askedMs);
}
