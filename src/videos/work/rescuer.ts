/**
 * Frees tasks whose attempts are no more, and ends those that will never finish.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Sessions } from "../../domain/session.ts";
import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import { type Attempt, nameOf } from "../task/attempt.ts";
import { MAX_FAILURES, noEngineMade, UNANSWERED } from "./conclude_attempt.ts";
import { isDiskFull } from "../../files/disk_full.ts";
import type { TaskFailure, TaskFinisher } from "./finish_task.ts";
import type { OnRunnerEvent } from "../task/runner_event.ts";
import type { TaskBook } from "../task/task_book.ts";
import {
  isClaimable,
  leaseWriter,
  openTaskWriter,
  unclaimedTaskWriter,
} from "../task/task_writer.ts";

/** What rescuing needs. */
export interface RescuerOptions {
  readonly book: TaskBook;
  readonly finisher: TaskFinisher;
  readonly clock: Clock;
  readonly sessions: Sessions;
  /** The attempt of this process at a task, or that one is about to begin. */
  readonly attemptAt: (taskId: string) => Attempt | "beginning" | undefined;
  /** Whether a task's provider or route is gone from the catalogue. */
  readonly isGone: (task: VideoTask) => boolean;
  /** Whether nobody could work on a task now: its provider or route is gone, switched off or paused. */
  readonly isClosed: (task: VideoTask) => boolean;
  readonly onEvent: OnRunnerEvent;
}

/** Attempts of a task that may end because the server stops or dies. */
const MAX_RESTARTS = 10;
/** A task is given so long from its start. What it waits for others before does not count. */
const MAX_WORK_MS = 86_400_000;
/** One that has not begun is given up when its route was gone for so long; switched off, it may come back. */
const MAX_GONE_MS = 86_400_000;
/** Rescued at one time: the writer's queue is bounded. */
const SLICE = 500;

export class Rescuer {
  readonly #options: RescuerOptions;
  /** When each task that has begun takes too long, in monotonic milliseconds: the machine's clock may be set. */
  readonly #deadlines = new Map<string, number>();
  /** Since when the route of a task that has not begun is gone. */
  readonly #goneSince = new Map<string, number>();

  /** Follows the book from now on; it must be loaded. */
  constructor(options: RescuerOptions) {
    this.#options = options;
    const { book, clock } = options;
    for (const task of book.openTasks()) {
      if (task.startedAt === undefined) continue;
      const workedMs = Math.max(0, clock.now() - task.startedAt);
      this.#deadlines.set(task.id, clock.monotonic() + MAX_WORK_MS - workedMs);
    }
    book.subscribe((before, after) => {
      const { id } = (after ?? before)!;
      const hasBegun = after !== undefined && isOpen(after) && after.startedAt !== undefined;
      if (!hasBegun) this.#deadlines.delete(id);
      else if (!this.#deadlines.has(id)) {
        this.#deadlines.set(id, clock.monotonic() + MAX_WORK_MS);
      }
      if (hasBegun || after === undefined || !isOpen(after)) this.#goneSince.delete(id);
    });
  }

  /**
   * Frees every task that a session had claimed which has ended, whatever the lease says.
   * One that it had asked an upstream for, without knowing a job, fails.
   */
  async reap(): Promise<void> {
    const { book, sessions } = this.#options;
    const left = [...book.openTasks()].filter(({ lease, mayHaveBegun }) =>
      lease === undefined ? mayHaveBegun : sessions.hasEnded(lease.session)
    );
    for (let at = 0; at < left.length; at += SLICE) {
      await Promise.all(left.slice(at, at + SLICE).map((task) => this.#rescue(task, "restart")));
    }
  }

  /** Looks for everything that has no future as it is. */
  async sweep(): Promise<void> {
    await this.reap();
    const { book, clock } = this.#options;
    const now = clock.monotonic();
    for (const task of [...book.openTasks()]) {
      if (await this.#isOnHold(task)) continue;
      if ((this.#deadlines.get(task.id) ?? Infinity) <= now) {
        await this.#giveUp(task, "This video was not finished within 24 hours of its start");
      } else if (this.#isGoneTooLong(task, now)) {
        await this.#giveUp(task, "There was no engine for this video for 24 hours");
      } else if (this.#isStuck(task)) await this.#rescue(task, "stuck");
    }
  }

  #isStuck({ id, attempt: number, lease }: VideoTask): boolean {
    const { sessions, attemptAt } = this.#options;
    if (lease?.session !== sessions.own) return false;
    const attempt = attemptAt(id);
    if (attempt === "beginning") return false;
    return attempt === undefined || attempt.task.attempt !== number || attempt.isLapsed;
  }

  async #rescue(task: VideoTask, why: "restart" | "stuck"): Promise<void> {
    const { book, finisher, attemptAt, onEvent } = this.#options;
    const attempt = attemptAt(task.id);
    if (why === "stuck" && typeof attempt === "object") attempt.stop("lost");
    const isStuck = why === "stuck";
    const restarts = task.restarts + (isStuck ? 0 : 1);
    const failures = task.failures + (isStuck ? 1 : 0);
    const writer = leaseWriter(book, task);
    const failure = endOf(task, { restarts, failures });
    try {
      if (failure !== undefined) {
        await finisher.fail(task, { failure, write: (decide) => writer.change(decide) });
        return;
      }
      const freed = await writer.change(() => ({
        set: { lease: undefined, restarts, failures, notBefore: 0 },
      }));
      if (freed !== undefined) onEvent({ kind: "rescued", why, ...nameOf(freed) });
    } catch (error) {
      this.#report(task, error);
    }
  }

  /** Whether a task just waits for its route to be switched on, or resumed: its time does not run meanwhile. */
  async #isOnHold(task: VideoTask): Promise<boolean> {
    const { book, isClosed } = this.#options;
    const { id, startedAt, job } = task;
    if (startedAt === undefined || job !== undefined || !isClaimable(task)) return false;
    if (!isClosed(task)) return false;
    try {
      await unclaimedTaskWriter(book, id).change(() => ({ set: { startedAt: undefined } }));
    } catch (error) {
      this.#report(task, error);
    }
    return true;
  }

  #isGoneTooLong(task: VideoTask, now: number): boolean {
    if (task.startedAt !== undefined || !this.#options.isGone(task)) {
      this.#goneSince.delete(task.id);
      return false;
    }
    const since = this.#goneSince.get(task.id);
    if (since === undefined) this.#goneSince.set(task.id, now);
    return since !== undefined && now - since >= MAX_GONE_MS;
  }

  async #giveUp(task: VideoTask, why: string): Promise<void> {
    const { book, finisher } = this.#options;
    const writer = openTaskWriter(book, task.id);
    try {
      await finisher.fail(task, {
        failure: {
          code: "video_generation_failed",
          message: `${why}: create it again`,
          hasJobEnded: false,
        },
        write: (decide) => writer.change(decide),
      });
    } catch (error) {
      this.#report(task, error);
    }
  }

  /** The next sweep tries again. */
  #report({ id }: VideoTask, error: unknown): void {
    if (!isDiskFull(error)) this.#options.onEvent({ kind: "trouble", taskId: id, error });
  }
}

/** How a task ends that is not freed once more. */
function endOf(
  task: VideoTask,
  { restarts, failures }: Pick<VideoTask, "restarts" | "failures">,
): TaskFailure | undefined {
  if (task.mayHaveBegun) return UNANSWERED;
  const given = { code: "video_generation_failed", hasJobEnded: false };
  if (failures >= MAX_FAILURES) return { ...given, message: noEngineMade(task, failures) };
  if (restarts <= MAX_RESTARTS) return undefined;
  return {
    ...given,
    message: `This video was restarted too often (${MAX_RESTARTS} times): create it again`,
  };
}
