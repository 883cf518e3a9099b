/**
 * The one place where a task ends: its last state, its call's outcome and its
 * webhook message in one entry, exactly once.
 *
 * @module
 */

import type { CallOutcome } from "../../accounts/close_call.ts";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { NO_WORK } from "../../domain/work.ts";
import type { VideoFile, VideoTask } from "../../domain/video_task.ts";
import type { WebhookEvent, WebhookMessage } from "../../domain/webhook.ts";
import type { PricedWork } from "../../pricing/price_work.ts";
import type { CatalogueStore } from "../../storage/ports/storage.ts";
import { type Attempt, nameOf } from "../task/attempt.ts";
import type { FilmStore, WholeFilm } from "../files/film_store.ts";
import type { Leftovers } from "../files/leftovers.ts";
import type { JobCanceller } from "../make/job_canceller.ts";
import type { OnRunnerEvent } from "../task/runner_event.ts";
import type { TaskBook } from "../task/task_book.ts";
import { pricesOf, priceVideo, workBeside } from "../task/task_price.ts";
import type { TaskWriter } from "../task/task_writer.ts";

/** What ending a task needs. */
export interface TaskFinisherOptions {
  readonly book: TaskBook;
  readonly films: Pick<FilmStore, "keep" | "removeReference">;
  readonly leftovers: Pick<Leftovers, "remove">;
  readonly prices: Pick<CatalogueStore, "priceVersions">;
  readonly canceller: Pick<JobCanceller, "cancel">;
  readonly clock: Clock;
  /** When a film that is completed now will be removed; `undefined` for never. */
  readonly expiryOf: (completedAt: number) => number | undefined;
  readonly onEvent: OnRunnerEvent;
}

/** Why a task has failed. */
export interface TaskFailure {
  readonly code: string;
  /** For the caller. */
  readonly message: string;
  /**
   * Whether the upstream itself has told that its job failed. What became of any
   * other job that was begun, nobody knows: it is cancelled, and counts as the
   * operator's loss.
   */
  readonly hasJobEnded: boolean;
  /** Whether an upstream may make the film without having named a job. Default: as the task says. */
  readonly mayHaveBegun?: boolean;
}

const WEBHOOK_ID_CHARACTERS = 26;
const FREE: PricedWork = Object.freeze({ costE8: 0n, saleE8: 0n });

export class TaskFinisher {
  readonly #options: TaskFinisherOptions;

  constructor(options: TaskFinisherOptions) {
    this.#options = options;
  }

  /**
   * Keeps an attempt's film and completes its task: the file first, so that a
   * completed task always has one.
   *
   * @throws What the disk throws; the task is then as it was.
   */
  async complete(attempt: Attempt, film: WholeFilm): Promise<void> {
    const { book, films, leftovers, clock, expiryOf, onEvent } = this.#options;
    const { id } = attempt.task;
    const price = await this.#price(attempt.task);
    if (price === undefined || attempt.stopped === "over" || attempt.stopped === "lost") return;
    const file = await keepFilm(films, attempt, film);
    const completed = await attempt.store((task) => {
      const completedAt = clock.now();
      return {
        set: {
          status: "completed",
          progress: 100,
          completedAt,
          expiresAt: expiryOf(completedAt),
          file,
          lease: undefined,
          ...price,
        },
        close: outcome(task, { ...price, billable: true, errorCode: undefined }),
        webhook: this.#message(task, "video.completed"),
      };
    });
    if (completed === undefined) {
      // Deleted meanwhile; the film of a task that is still there is its next attempt's to replace.
      if (await book.find(id) === undefined) await leftovers.remove(id);
      return;
    }
    if (completed.referenceType !== undefined) await films.removeReference(id);
    onEvent({ kind: "completed", bytes: file.bytes, ...nameOf(completed) });
  }

  /**
   * Fails a task: nobody is charged. A job that may be going on is cancelled.
   *
   * @returns The failed task, or `undefined` when it was not `write`'s to change.
   * @throws {GatewayError} `storage_full`
   */
  async fail(
    task: VideoTask,
    { failure: { code, message, hasJobEnded, mayHaveBegun }, write }: {
      readonly failure: TaskFailure;
      readonly write: TaskWriter["change"];
    },
  ): Promise<VideoTask | undefined> {
    const { leftovers, canceller, onEvent } = this.#options;
    const price = hasJobEnded ? undefined : await this.#price(task);
    const isBegun = (newest: VideoTask) =>
      !hasJobEnded && (newest.job !== undefined || (mayHaveBegun ?? newest.mayHaveBegun));
    const failed = await write((newest) => ({
      set: { status: "failed", error: { code, message }, lease: undefined },
      close: outcome(newest, {
        ...(isBegun(newest) ? price ?? FREE : FREE),
        billable: false,
        errorCode: code,
      }),
      webhook: this.#message(newest, "video.failed"),
    }));
    if (failed === undefined) return undefined;
    const { job } = failed;
    if (!hasJobEnded && job !== undefined) canceller.cancel(failed, job);
    await leftovers.remove(task.id);
    onEvent({ kind: "failed", code, isBilled: isBegun(failed), ...nameOf(failed) });
    return failed;
  }

  /** By the prices that the hold was taken at; `undefined` when the task is no longer open. */
  async #price(task: VideoTask): Promise<PricedWork | undefined> {
    const call = this.#options.book.callOf(task.id);
    if (call === undefined) return undefined;
    return priceVideo(await pricesOf(this.#options.prices, call), { call, work: workBeside(task) });
  }

  #message(task: VideoTask, event: WebhookEvent): WebhookMessage | undefined {
    if (task.callbackUrl === undefined) return undefined;
    const now = this.#options.clock.now();
    return {
      id: `evt_${randomName(WEBHOOK_ID_CHARACTERS)}`,
      projectId: task.projectId,
      event,
      videoId: task.id,
      url: task.callbackUrl,
      createdAt: now,
      tries: 0,
      state: "waiting",
      nextAt: now,
      lastError: undefined,
      roundFrom: 0,
      lastTries: [],
    };
  }
}

function keepFilm(
  films: TaskFinisherOptions["films"],
  attempt: Attempt,
  film: WholeFilm,
): Promise<VideoFile> {
  const { task, signal, hardSignal } = attempt;
  return films.keep(task, film, { signal, hardSignal, onSign: () => attempt.alive() });
}

/** A film is used as a whole: what is priced is what was asked for. */
function outcome(
  task: VideoTask,
  { costE8, saleE8, billable, errorCode }: PricedWork & {
    readonly billable: boolean;
    readonly errorCode: string | undefined;
  },
): CallOutcome {
  const isUsed = billable || costE8 > 0n || saleE8 > 0n;
  return {
    result: billable ? "completed" : "upstream_failed",
    billable,
    work: isUsed ? workBeside(task) : NO_WORK,
    usageSource: !isUsed ? "none" : billable ? "reported" : "estimated",
    costE8,
    saleE8,
    firstByteMs: undefined,
    attempts: task.attempt,
    errorCode,
  };
}
