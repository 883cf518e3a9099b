/**
 * What follows from the end of an attempt: the task ends, is freed for another
 * attempt here or on another route, or is left to whoever has it now.
 *
 * @module
 */

import type { Clock, Random } from "../../domain/clock.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import { ERROR_TABLE } from "../../errors.ts";
import type { UpstreamError } from "../../domain/upstream_error.ts";
import { MAX_BUSY_SECONDS } from "../../routing/project_trouble.ts";
import type { Attempt } from "../task/attempt.ts";
import type { ContentFiles } from "../files/content_files.ts";
import type { Leftovers } from "../files/leftovers.ts";
import { isDiskFull } from "../../files/disk_full.ts";
import type { AttemptEnd } from "../make/executor.ts";
import type { TaskFailure, TaskFinisher } from "./finish_task.ts";
import type { JobCanceller } from "../make/job_canceller.ts";
import type { Rerouter } from "./reroute.ts";
import { MOST_ROOM_WAIT_MS, type RoomWaits } from "./room_waits.ts";
import type { OnRunnerEvent } from "../task/runner_event.ts";
import type { TaskBook, TaskChange } from "../task/task_book.ts";
import type { TaskWriter } from "../task/task_writer.ts";

/** What concluding needs. */
export interface ConcludeDeps {
  readonly book: TaskBook;
  readonly files: Pick<ContentFiles, "removePart">;
  readonly leftovers: Pick<Leftovers, "remove">;
  readonly finisher: TaskFinisher;
  readonly canceller: Pick<JobCanceller, "cancel">;
  readonly rerouter: Rerouter;
  readonly roomWaits: RoomWaits;
  readonly clock: Clock;
  readonly random: Random;
  readonly onEvent: OnRunnerEvent;
}

/** Attempts of a task whose work may fail. */
export const MAX_FAILURES = 3;
/** Before a second attempt on the same route; four times as long before a third. */
const FIRST_BACKOFF_MS = 5_000;
/** A busy upstream that names no time is asked again after this; its route cools as long. */
const BUSY_SECONDS = 5;

type End<Kind extends AttemptEnd["kind"]> = Extract<AttemptEnd, { readonly kind: Kind }>;

/**
 * Stores what follows.
 *
 * @throws What the disk or storage throws other than for being full: the task is
 * then as it was, and its lease runs out.
 */
export async function concludeAttempt(
  deps: ConcludeDeps,
  attempt: Attempt,
  end: AttemptEnd,
): Promise<void> {
  switch (end.kind) {
    case "content":
      return await keepContent(deps, attempt, end);
    case "hopeless":
      return await fail(deps, attempt, { ...end, hasJobEnded: true });
    case "broken":
      return await retry(deps, attempt, end);
    case "postponed":
      return await postpone(deps, attempt, end);
    case "no_room":
      return await waitForRoom(deps, attempt, end.keepsPart);
    case "stopped":
      return await leave(deps, attempt);
  }
}

async function keepContent(
  deps: ConcludeDeps,
  attempt: Attempt,
  end: End<"content">,
): Promise<void> {
  try {
    await deps.finisher.complete(attempt, end);
  } catch (error) {
    // A store that is away is not waited for any longer; the film goes with its part.
    if (attempt.signal.aborted && isAbort(error)) return await leave(deps, attempt);
    // Whoever deletes a task takes its part away, also while that is being kept.
    if (attempt.stopped !== "over" || !(error instanceof Deno.errors.NotFound)) {
      if (!isDiskFull(error)) throw error;
      await waitForRoom(deps, attempt, false);
    }
  } finally {
    end.part.close();
  }
  if (attempt.stopped === "over") await leave(deps, attempt);
}

async function fail(deps: ConcludeDeps, attempt: Attempt, failure: TaskFailure): Promise<void> {
  const write: TaskWriter["change"] = (decide) => attempt.store(decide);
  await deps.finisher.fail(attempt.task, { failure, write });
}

/**
 * Another route at once if there is one, else the same after a while. A busy
 * upstream has not failed at anything: its tasks wait as long as it asks.
 */
async function retry(
  deps: ConcludeDeps,
  attempt: Attempt,
  { error, dropsJob, mayHaveBegun = attempt.task.mayHaveBegun }: End<"broken">,
): Promise<void> {
  const { rerouter, canceller, onEvent } = deps;
  const { job } = attempt.task;
  const isBusy = error.failure === "busy";
  const failures = attempt.task.failures + (isBusy ? 0 : 1);
  onEvent({ kind: "attempt_failed", failures, error, ...attempt.name });
  if (mayHaveBegun) return await fail(deps, attempt, UNANSWERED);
  const noEngine = {
    code: ERROR_TABLE.provider_unavailable.code,
    message: noEngineMade(attempt.task, failures),
    hasJobEnded: false,
    mayHaveBegun,
  };
  if (failures >= MAX_FAILURES) return await fail(deps, attempt, noEngine);
  if (dropsJob || job === undefined) {
    rerouter.noteFailure(attempt.task);
    // It may be there all the same: nobody would ask after it any more.
    if (job !== undefined) canceller.cancel(attempt.task, job);
    const writer: TaskWriter = {
      owns: (task) => attempt.owns(task),
      change: (decide) => attempt.store(decide),
    };
    if (await rerouter.move(attempt.task, { writer, change: () => ({ failures }) })) return;
    if (isMisplaced(error)) return await fail(deps, attempt, noEngine);
  }
  const waitMs = isBusy ? busyMs(error) : FIRST_BACKOFF_MS * 4 ** (failures - 1);
  await free(deps, attempt, {
    failures,
    mayHaveBegun,
    notBefore: notBefore(deps, waitMs),
    ...(dropsJob ? { job: undefined } : {}),
  });
}

/**
 * How a task fails whose upstream was asked and gave no answer, or one that a crash lost.
 * Whoever asked again, here or elsewhere, might pay for two films, and then for three.
 */
export const UNANSWERED: TaskFailure = {
  code: ERROR_TABLE.provider_unavailable.code,
  message: "The engine was asked for this video and did not answer, so that nobody knows whether " +
    "it makes it. It was not asked a second time, which might have to be paid twice: create the " +
    "video again",
  hasJobEnded: false,
  mayHaveBegun: true,
};

/** What a caller is told of a film that nobody could make: why is the operator's to see. */
export function noEngineMade({ id }: Pick<VideoTask, "id">, failures: number): string {
  return `No engine could make this video in ${failures} attempt${failures === 1 ? "" : "s"}: ` +
    `ask the operator to look at \`tollgate videos show ${id}\``;
}

/** There is no such path or model: that stays so until the operator corrects the route. */
function isMisplaced({ failure, status }: UpstreamError): boolean {
  return (failure === "operator" || failure === "doubtful") &&
    (status === 404 || status === 405 || status === 410);
}

/** @param keepsPart Whether the next attempt could go on with what is on disk. */
async function waitForRoom(
  deps: ConcludeDeps,
  attempt: Attempt,
  keepsPart: boolean,
): Promise<void> {
  const waitMs = deps.roomWaits.next(attempt.task.id);
  if (!keepsPart || waitMs >= MOST_ROOM_WAIT_MS) await removePart(deps, attempt);
  await postpone(deps, attempt, { waitMs, why: "disk_full", keepsPart: true });
}

async function postpone(
  deps: ConcludeDeps,
  attempt: Attempt,
  { waitMs, why, keepsPart = false }: Pick<End<"postponed">, "waitMs" | "why"> & {
    readonly keepsPart?: boolean;
  },
): Promise<void> {
  deps.onEvent({ kind: "postponed", waitMs, why, ...attempt.name });
  const { job, failures } = attempt.task;
  // Nothing was begun: its time has not begun to run either.
  const hasBegun = job !== undefined || failures > 0;
  await free(deps, attempt, {
    notBefore: notBefore(deps, waitMs),
    ...(hasBegun ? {} : { startedAt: undefined }),
  }, { keepsPart });
}

/** The attempt was told to end: a task that is still its own can be claimed again at once. */
async function leave({ book, files, leftovers }: ConcludeDeps, attempt: Attempt): Promise<void> {
  const { task: { id }, stopped } = attempt;
  if (stopped === "over") {
    const task = await book.find(id);
    if (task?.status !== "completed") await leftovers.remove(id);
    return;
  }
  if (stopped === "lost") return;
  await files.removePart(id);
  try {
    // An upstream's job goes on by itself: nothing was broken off.
    await attempt.change(({ job, restarts }) => ({
      set: { lease: undefined, restarts: job === undefined ? restarts + 1 : restarts },
    }));
  } catch (error) {
    // The next start rescues it.
    if (!isDiskFull(error)) throw error;
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

async function removePart({ files }: ConcludeDeps, { stopped, task }: Attempt): Promise<void> {
  if (stopped !== "lost") await files.removePart(task.id);
}

async function free(
  deps: ConcludeDeps,
  attempt: Attempt,
  set: TaskChange["set"],
  { keepsPart = false }: { readonly keepsPart?: boolean } = {},
): Promise<void> {
  if (!keepsPart) await removePart(deps, attempt);
  await attempt.store(() => ({ set: { ...set, lease: undefined } }));
}

/** With up to a quarter more, so that tasks that failed together do not come back together. */
function notBefore({ clock, random }: ConcludeDeps, waitMs: number): number {
  return Math.ceil(clock.now() + waitMs * (1 + random() / 4));
}

function busyMs({ retryAfterSeconds }: UpstreamError): number {
  return Math.min(MAX_BUSY_SECONDS, Math.max(1, retryAfterSeconds ?? BUSY_SECONDS)) * 1_000;
}
