/**
 * What callers and operators do with video tasks that exist: find, list,
 * download, delete.
 *
 * @module
 */

import type { AuditNote } from "../domain/audit.ts";
import type { Clock } from "../domain/clock.ts";
import type { DeletedVideoCharge } from "../domain/call.ts";
import type { VideoPause } from "../domain/video_pause.ts";
import { isOpen, type VideoTask } from "../domain/video_task.ts";
import { GatewayError } from "../errors.ts";
import { deleteVideo, type DeleteVideoDeps, type DeleteVideoOptions } from "./delete_video.ts";
import type { FilmContent, FilmStore, FilmVariant } from "./files/film_store.ts";
import { type LastFailure, LastFailures } from "./tell/last_failures.ts";
import { type MoveOptions, moveVideo } from "./move_video.ts";
import { placeInQueue, type QueuePlace, waitAt } from "./task/queue_place.ts";
import type { QueuePauses } from "./task/queue_pauses.ts";
import type { RunnerEvent } from "./task/runner_event.ts";
import { type CreateVideo, type Retried, type RetryOptions, retryVideo } from "./retry_video.ts";
import type { TaskChange } from "./task/task_book.ts";
import type { VideoQuery } from "../storage/ports/video_pages.ts";
import type { VideoStore } from "../storage/ports/storage.ts";

/** What is needed for all of it. */
export interface VideoTasksDeps extends DeleteVideoDeps {
  readonly films: Pick<FilmStore, "contentOf" | "placeOf">;
  /** What a film costs that its owner deletes while it is made. */
  readonly deletedVideoCharge: DeletedVideoCharge;
  readonly videos: VideoStore;
  readonly clock: Pick<Clock, "monotonic">;
  readonly pauses: QueuePauses;
  /** Told of what went wrong behind an answer that was given all the same. */
  readonly onError: (error: unknown) => void;
}

/** One page of a list. */
export interface VideoPage {
  readonly tasks: readonly VideoTask[];
  readonly hasMore: boolean;
}

/** A page that a caller asks for. */
export interface VideoPageQuery {
  readonly projectId: string;
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the task that the page comes after. */
  readonly after: string | undefined;
}

/** How busy a route is. */
export interface RouteQueue {
  readonly route: string;
  /** Tasks that wait for an attempt. */
  readonly waiting: number;
  /** Tasks that are worked on, here or by an upstream. */
  readonly underWay: number;
}

/** Where a task stands. */
export interface TaskPlace extends QueuePlace {
  /** Milliseconds until its turn, about; `undefined` where its route made nothing of late, or is paused. */
  readonly waitMs: number | undefined;
}

export class VideoTasks {
  readonly #deps: VideoTasksDeps;
  /** What is being noted of which tasks. */
  readonly #marking = new Set<string>();
  /** Where pages go on whose last task was deleted meanwhile, by that task's id. */
  readonly #deleted = new Map<string, Pick<VideoTask, "projectId" | "callId">>();
  readonly #failures = new LastFailures();
  #create: CreateVideo | undefined;
  #tell: () => void = () => {};

  constructor(deps: VideoTasksDeps) {
    this.#deps = deps;
  }

  /** The task of this id, whoever asks; at once when it is in memory. */
  find(taskId: string): VideoTask | undefined | Promise<VideoTask | undefined> {
    return TASK_ID.test(taskId) ? this.#deps.book.find(taskId) : undefined;
  }

  /**
   * A project's own task; `undefined` for another one's as for none. The first
   * time it also notes that the caller knows the id, so that no repeated create
   * is answered with this task any more.
   */
  findOwn(
    projectId: string,
    taskId: string,
  ): VideoTask | undefined | Promise<VideoTask | undefined> {
    const found = this.find(taskId);
    if (found instanceof Promise) return found.then((task) => this.#use(projectId, task));
    return this.#use(projectId, found);
  }

  /**
   * A page of a project's tasks; `undefined` when it has no task of the id to go on
   * from. One that was lately deleted will do: clients delete as they list.
   */
  async page(query: VideoPageQuery): Promise<VideoPage | undefined> {
    const { projectId, limit, order } = query;
    let afterCallId: number | undefined;
    if (query.after !== undefined) {
      const after = this.#deleted.get(query.after) ?? await this.find(query.after);
      if (after?.projectId !== projectId) return undefined;
      afterCallId = after.callId;
    }
    // Whoever asks for none would go on for ever behind a page that has no last task.
    if (limit === 0) return { tasks: [], hasMore: false };
    const tasks = await this.list({ projectId, order, afterCallId, limit: limit + 1 });
    return { tasks: tasks.slice(0, limit), hasMore: tasks.length > limit };
  }

  /** Tasks by a query, of all projects if it names none. */
  list(query: VideoQuery): Promise<readonly VideoTask[]> {
    return this.#deps.videos.list(query);
  }

  /**
   * Deletes a project's own task.
   *
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  removeOwn(projectId: string, taskId: string): Promise<"deleted" | "missing"> {
    return this.#remove(taskId, {
      charge: this.#deps.deletedVideoCharge,
      isWanted: (task) => task.projectId === projectId,
    });
  }

  /**
   * Deletes a task of whatever project for its operator, and notes it in the same step.
   * Its owner did not choose that, and pays nothing.
   *
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  removeNoted(
    taskId: string,
    noteOf: (task: VideoTask) => AuditNote,
  ): Promise<"deleted" | "missing"> {
    return this.#remove(taskId, { charge: "free", noteOf });
  }

  /** Where a task stands that waits for its first attempt, and how long it will; `undefined` for any other. */
  async placeOf(task: VideoTask): Promise<TaskPlace | undefined> {
    const place = placeInQueue(task, this.#deps.book.openTasks());
    if (place === undefined) return undefined;
    if (this.pauses.of(task.route) !== undefined) return { ...place, waitMs: undefined };
    const lately = await this.list({ status: "completed", order: "desc", limit: LATELY });
    return { ...place, waitMs: waitAt(place, task.route, lately) };
  }

  /** What an operator has paused of the queue. */
  get pauses(): QueuePauses {
    return this.#deps.pauses;
  }

  /** Why an open task does not begin, or go on, before somebody resumes the queue; `undefined` for any other. */
  pauseOf({ status, lease, job, route }: VideoTask): VideoPause | undefined {
    const waits = isOpen({ status }) && lease === undefined && job === undefined;
    return waits ? this.pauses.of(route) : undefined;
  }

  /** Of every route that has open tasks. */
  queues(): readonly RouteQueue[] {
    const queues = new Map<string, { waiting: number; underWay: number }>();
    for (const { route, lease, job } of this.#deps.book.openTasks()) {
      let queue = queues.get(route);
      if (queue === undefined) queues.set(route, queue = { waiting: 0, underWay: 0 });
      if (lease === undefined && job === undefined) queue.waiting++;
      else queue.underWay++;
    }
    return [...queues].map(([route, counts]) => ({ route, ...counts }));
  }

  /**
   * Moves a film that waits among its project's, and notes it in the same step.
   *
   * @throws {GatewayError} As {@linkcode moveVideo}.
   */
  move(taskId: string, options: MoveOptions): Promise<VideoTask | undefined> {
    return moveVideo(this.#deps.book, taskId, options);
  }

  /** From now on tasks can be ordered again. */
  takeCreates(create: CreateVideo): void {
    this.#create = create;
  }

  /**
   * Orders a film again that could not be made.
   *
   * @throws {GatewayError} As {@linkcode retryVideo}; `conflict` where no server makes films.
   */
  retry(task: VideoTask, options: RetryOptions): Promise<Retried> {
    const create = this.#create;
    if (create === undefined) {
      throw new GatewayError("conflict", "Films are made by a running gateway: start it first");
    }
    return retryVideo({ ...this.#deps, create }, task, options);
  }

  /** From now on messages are sent: `tell` looks for those that are due. */
  takeTelling(tell: () => void): void {
    this.#tell = tell;
  }

  /** Has what is due of the outbox sent now; where no server sends any, the next one begins with it. */
  tell(): void {
    this.#tell();
  }

  /** Remembers what the runner tells of at a time in milliseconds since the epoch. */
  note(event: RunnerEvent, at: number): void {
    this.#failures.note(event, at);
  }

  /** What went wrong last with a task, for its operator; `undefined` when nothing is known. */
  lastFailure(taskId: string): LastFailure | undefined {
    return this.#failures.of(taskId);
  }

  /** Notes that somebody fetches the film of a task: from then on a quota may remove it. */
  noteFetched({ id, fetchedAt }: VideoTask, at: number): void {
    if (fetchedAt !== undefined) return;
    this.#mark(id, {
      what: "fetched",
      toSet: (newest) => newest.fetchedAt === undefined ? { fetchedAt: at } : undefined,
    });
  }

  /** Where a task's film is, if it has one. */
  placeOfFilm(task: VideoTask): string {
    return this.#deps.films.placeOf(task);
  }

  /** What to send of a task that has a film. */
  contentOf(task: VideoTask, variant: FilmVariant): FilmContent {
    return this.#deps.films.contentOf(task, variant);
  }

  #use(projectId: string, task: VideoTask | undefined): VideoTask | undefined {
    if (task?.projectId !== projectId) return undefined;
    if (!task.isIdUsed) {
      this.#mark(task.id, {
        what: "used",
        toSet: (newest) => newest.isIdUsed ? undefined : { isIdUsed: true },
      });
    }
    return task;
  }

  async #remove(taskId: string, options: DeleteVideoOptions): Promise<"deleted" | "missing"> {
    if (!TASK_ID.test(taskId)) return "missing";
    const removed = await deleteVideo(this.#deps, taskId, options);
    if (removed === undefined) return "missing";
    this.#noteDeleted(removed);
    return "deleted";
  }

  #noteDeleted({ id, projectId, callId }: VideoTask): void {
    this.#deleted.set(id, { projectId, callId });
    if (this.#deleted.size <= DELETED_TASKS) return;
    const [oldest] = this.#deleted.keys();
    this.#deleted.delete(oldest!);
  }

  /** Notes something of a task in the background, unless it is noted or about to be. */
  #mark(taskId: string, { what, toSet }: {
    readonly what: "used" | "fetched";
    readonly toSet: (task: VideoTask) => TaskChange["set"] | undefined;
  }): void {
    const mark = `${what} ${taskId}`;
    if (this.#marking.has(mark)) return;
    this.#marking.add(mark);
    this.#deps.book.change(taskId, (task) => {
      const set = toSet(task);
      return set && { set };
    }).catch(this.#deps.onError).finally(() => this.#marking.delete(mark));
  }
}

/** Films that tell how long a route takes. */
const LATELY = 50;
/** Deleted tasks that a page may go on from. */
const DELETED_TASKS = 10_000;
/** Anything else is not looked for: not every text is fit for a database. */
const TASK_ID = /^video_[a-z2-7]{26}$/;
