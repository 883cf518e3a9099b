/**
 * Starts an upstream's job for a task: that it may begin is stored before it is asked
 * for, and the job before anything else is asked about it.
 *
 * @module
 */

import type { Route } from "../../domain/catalogue.ts";
import type { UpstreamJob, VideoTask } from "../../domain/video_task.ts";
import { ERROR_TABLE, GatewayError } from "../../errors.ts";
import type { UpstreamError } from "../../domain/upstream_error.ts";
import type { VideoOrder, VideoUpstream } from "../../providers/contract/video_upstream.ts";
import type { Attempt } from "../task/attempt.ts";
import { type AttemptEnd, STOPPED } from "./executor.ts";
import { asUpstreamError, type UpstreamExecutorOptions } from "./upstream_work.ts";

/** Whom to ask for the job. */
export interface JobStart {
  readonly upstream: VideoUpstream;
  readonly route: Route;
}

/** What became of a start. */
export type StartedJob =
  | { readonly ok: true; readonly job: UpstreamJob }
  | { readonly ok: false; readonly end: AttemptEnd };

/** Codes of requests that an upstream refuses, by its status; as for any other call. */
const REJECTED_CODES: ReadonlyMap<number | undefined, string> = new Map([
  [403, ERROR_TABLE.upstream_rejected_403.code],
  [413, ERROR_TABLE.upstream_rejected_413.code],
  [422, ERROR_TABLE.upstream_rejected_422.code],
]);

/**
 * Starts the job. A start under way is not broken off when the task is deleted or
 * the gateway drains: the job may be running by then, and has to be known to be
 * cancelled or gone on with.
 */
export async function startJob(
  options: UpstreamExecutorOptions,
  attempt: Attempt,
  { upstream, route }: JobStart,
): Promise<StartedJob> {
  const { capacity, health, clock } = options;
  const order = await orderOf(options, attempt.task, route);
  const permit = capacity.enter(route, 0) ?? await capacity.whenRoom(route, 0);
  if (permit === undefined) {
    const seconds = Math.max(1, capacity.secondsUntilRoom(route, 0));
    return ended({ kind: "postponed", waitMs: seconds * 1_000, why: "at_capacity" });
  }
  const { projectId } = attempt.task;
  if (!health.beginAttempt(route.id, projectId)) {
    permit.withdraw();
    const coolingMs = health.coolingUntil(route.id, projectId) - clock.monotonic();
    const why = health.coolingReason(route.id, projectId);
    return ended({ kind: "postponed", waitMs: Math.max(1_000, coolingMs), why });
  }
  const startedAt = clock.monotonic();
  let job: UpstreamJob;
  try {
    if (await noteStart(attempt) === undefined) {
      health.record(route.id, { startedAt, projectId, outcome: "aborted" });
      return ended(STOPPED);
    }
    job = await upstream.start(order, attempt.hardSignal);
  } catch (caught) {
    if (caught instanceof GatewayError) {
      // It could not be noted: nobody was asked.
      health.record(route.id, { startedAt, projectId, outcome: "aborted" });
      throw caught;
    }
    const error = asUpstreamError(caught);
    const isStopped = attempt.hardSignal.aborted;
    const { failure, status, fault, retryAfterSeconds } = error;
    const outcome = isStopped ? "aborted" : failure;
    health.record(route.id, { startedAt, outcome, projectId, status, fault, retryAfterSeconds });
    return ended(isStopped ? STOPPED : endOf(error));
  } finally {
    permit.release();
  }
  health.record(route.id, { startedAt, projectId, outcome: "success" });
  return await storeJob(options, attempt, job);
}

/** Whoever finds the task after a crash must know that somebody may be making its film. */
function noteStart(attempt: Attempt): Promise<VideoTask | undefined> {
  return attempt.change(() => ({ set: { mayHaveBegun: true } }));
}

/** A job that cannot be stored would be nobody's. */
async function storeJob(
  { canceller, onEvent }: UpstreamExecutorOptions,
  attempt: Attempt,
  job: UpstreamJob,
): Promise<StartedJob> {
  const { task } = attempt;
  attempt.alive();
  using undo = new DisposableStack();
  undo.defer(() => canceller.cancel(task, job));
  const stored = await attempt.store(() => ({ set: { job, mayHaveBegun: false } }));
  if (stored === undefined) return ended(STOPPED);
  undo.move();
  onEvent({ kind: "job_started", job: job.id, ...attempt.name });
  return { ok: true, job };
}

async function orderOf(
  { films }: UpstreamExecutorOptions,
  { id, prompt, size, seconds, fields, referenceType, failures }: VideoTask,
  route: Route,
): Promise<VideoOrder> {
  const reference = referenceType === undefined
    ? undefined
    : { bytes: await films.readReference(id), mediaType: referenceType };
  // A job that is lost, or that failed, is asked for anew; one that a crash cut off is not.
  const idempotencyKey = `${id}-${encodeURIComponent(route.id)}-${failures}`;
  return { idempotencyKey, route, prompt, size, seconds, fields, reference };
}

function endOf(error: UpstreamError): AttemptEnd {
  if (error.failure === "caller") {
    return {
      kind: "hopeless",
      code: error.code ?? REJECTED_CODES.get(error.status) ??
        ERROR_TABLE.upstream_rejected_400.code,
      message: error.publicMessage ?? "The upstream rejected the request",
    };
  }
  return { kind: "broken", error, dropsJob: true, mayHaveBegun: error.isUnanswered };
}

function ended(end: AttemptEnd): StartedJob {
  return { ok: false, end };
}
