/**
 * Works on video tasks: claims those whose turn it is, within the limits, watches
 * over the attempts, and stops without losing anything.
 *
 * @module
 */

import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import { Alarm } from "./alarm.ts";
import { Attempt, type AttemptDeps, LEASE_MS } from "../task/attempt.ts";
import type { ConcludeDeps } from "./conclude_attempt.ts";
import { isDiskFull } from "../../files/disk_full.ts";
import { type DisplacedTasksDeps, moveDisplacedTasks } from "./displaced_tasks.ts";
import type { Executor } from "../make/executor.ts";
import type { JobCanceller } from "../make/job_canceller.ts";
import { contentBytesToCome } from "../files/content_bytes.ts";
import type { ContentFiles } from "../files/content_files.ts";
import { isLineClosed, isRouteGone, lineState } from "./line_state.ts";
import { RoomWaits } from "./room_waits.ts";
import { Rescuer } from "./rescuer.ts";
import type { QueuePauses } from "../task/queue_pauses.ts";
import type { RunnerPause } from "../task/runner_event.ts";
import { type Slot, Slots } from "./slots.ts";
import { isClaimable } from "../task/task_writer.ts";
import { type VideoLine, VideoQueue } from "./video_queue.ts";
import { workAttempt } from "./work_attempt.ts";

/** What the runner works with. */
export interface RunnerDeps
  extends AttemptDeps, Omit<ConcludeDeps, "roomWaits">, DisplacedTasksDeps {
  /** Makes films of providers of kind `builtin`. */
  readonly local: Executor;
  /** Makes films of all others. */
  readonly upstream: Executor;
  readonly canceller: JobCanceller;
  /** Films rendered here at a time. */
  readonly localWorkers: number;
  readonly files: Pick<ContentFiles, "removePart" | "partBytes">;
  /** Attempts that one project may have at a time; Infinity for any number. */
  readonly tasksPerProject: number;
  /** What an operator has paused. */
  readonly pauses: Pick<QueuePauses, "of" | "subscribe">;
  /**
   * Bytes on the disk for films that are begun now, beside those of the tasks under way.
   *
   * @throws When the disk cannot be looked at; nothing is begun for a while then.
   */
  readonly bytesBeside: (underWay: Iterable<VideoTask>) => number;
}

const SWEEP_MS = 10_000;
const FULL_RETRY_MS = 3_000;
/** A task with which something unexpected happened rests for so long. */
const TROUBLE_REST_MS = 10_000;
/** For attempts that have to end at once. */
const LAST_GRACE_MS = 1_000;

/** Does nothing until it is started. */
export class Runner {
  readonly #deps: RunnerDeps;
  readonly #queue: VideoQueue;
  readonly #rescuer: Rescuer;
  readonly #slots: Slots;
  readonly #roomWaits: RoomWaits;
  readonly #alarm: Alarm;
  readonly #end = new AbortController();
  #isStarted = false;
  #isWoken = false;
  #isDiskFull = false;
  /** Monotonic time before which nothing is begun: storage takes no changes, or the disk cannot be looked at. */
  #restUntil = 0;
  #displacing: Promise<unknown> | undefined;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#queue = new VideoQueue({ ...deps, bytesToCome: (task) => this.#bytesToCome(task) });
    this.#roomWaits = new RoomWaits(deps.book);
    this.#slots = new Slots(deps);
    this.#alarm = new Alarm({ ...deps, onDue: () => this.wake() });
    this.#rescuer = new Rescuer({
      ...deps,
      attemptAt: (taskId) => {
        const slot = this.#slots.of(taskId);
        return slot === undefined ? undefined : slot.attempt ?? "beginning";
      },
      isGone: (task) => isRouteGone(deps, task),
      isClosed: (task) => {
        const line = { ...task, hasJob: task.job !== undefined };
        return this.#isPaused(line) || isLineClosed(deps, line);
      },
    });
  }

  /** Attempts under way. */
  get running(): number {
    return this.#slots.size;
  }

  /** Tasks that wait for an attempt. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Why nothing is begun; empty while tasks are. */
  get paused(): readonly RunnerPause[] {
    const isResting = this.#restUntil > this.#deps.clock.monotonic();
    return [
      ...(this.#isDiskFull || isResting ? ["disk_full" as const] : []),
      ...(this.#end.signal.aborted ? ["stopping" as const] : []),
    ];
  }

  /**
   * Frees what another process left, and begins. Once; the task book must be loaded.
   * Resolves when everything is freed.
   */
  async start(): Promise<void> {
    const { book, catalogue } = this.#deps;
    for (const task of book.openTasks()) this.#consider(task);
    book.subscribe((before, after) => this.#onChange(before, after));
    const unsubscribe = catalogue.subscribe(() => {
      this.#displace();
      this.wake();
    });
    this.#end.signal.addEventListener("abort", unsubscribe, { once: true });
    const unfollow = this.#deps.pauses.subscribe(() => this.wake());
    this.#end.signal.addEventListener("abort", unfollow, { once: true });
    await this.#rescuer.reap();
    this.#isStarted = true;
    this.#sweeps().catch((error) => this.#trouble(undefined, error));
    this.#displace();
    this.wake();
  }

  /**
   * Claims no more, ends local work, leaves upstreams' jobs to the next start.
   * Resolves when nothing is under way, or soon after `deadlineMs` milliseconds.
   */
  async stop(deadlineMs: number): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    // A start that failed before it came to this has paused nothing.
    if (this.#isStarted) this.#deps.onEvent({ kind: "paused", why: "stopping" });
    this.#alarm.cancel();
    this.#stopAttempts("draining");
    await this.#idle(deadlineMs);
    this.#stopAttempts("stopped");
    this.#deps.canceller.stop();
    await this.#idle(LAST_GRACE_MS);
  }

  /**
   * Looks, once this turn's changes are made, whether anything can be begun. Never
   * throws: a change that is stored does not depend on what follows from it.
   */
  wake(): void {
    if (this.#isWoken || !this.#isStarted || this.#end.signal.aborted) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      if (this.#end.signal.aborted) return;
      try {
        this.#look();
      } catch (error) {
        this.#trouble(undefined, error);
        this.#restUntil = this.#deps.clock.monotonic() + TROUBLE_REST_MS;
        this.#setAlarm(Infinity);
      }
    });
  }

  /** Begins what can be begun. */
  #look(): void {
    const queue = this.#queue;
    let coolUntil = Infinity;
    if (this.#restUntil <= this.#deps.clock.monotonic()) {
      let bytes: number | undefined;
      const contentBytes = () => bytes ??= this.#deps.bytesBeside(this.#slots.tasks());
      const hasRoom = (line: VideoLine) =>
        this.#slots.hasRoom(line) && !this.#isPaused(line) && !isLineClosed(this.#deps, line);
      const isOpenTo = (line: VideoLine, projectId: string) => {
        const state = lineState(this.#deps, { ...line, projectId });
        if (typeof state === "number") coolUntil = Math.min(coolUntil, state);
        return state === "open";
      };
      if (queue.hasTooLarge) queue.readmit(contentBytes());
      for (;;) {
        const task = queue.next({ hasRoom, isOpenTo, contentBytes });
        if (task === undefined) break;
        bytes = contentBytes() - this.#bytesToCome(task);
        this.#begin(task);
      }
      const isFull = queue.hasTooLarge ||
        ((this.#isDiskFull || bytes !== undefined) && contentBytes() <= 0);
      this.#noteDisk(queue.size > 0 && isFull);
    }
    this.#setAlarm(coolUntil);
  }

  /** A job under way is asked after all the same: its upstream works on it. */
  #isPaused({ route, hasJob }: VideoLine): boolean {
    return !hasJob && this.#deps.pauses.of(route) !== undefined;
  }

  #bytesToCome(task: VideoTask): number {
    return contentBytesToCome(task, this.#deps.files);
  }

  #onChange(before: VideoTask | undefined, after: VideoTask | undefined): void {
    const { id } = (after ?? before)!;
    if (after === undefined) {
      if (before?.job !== undefined && isOpen(before)) {
        this.#deps.canceller.cancel(before, before.job);
      }
      this.#queue.remove(id);
    } else this.#consider(after);
    const slot = this.#slots.of(id);
    if (slot !== undefined) slot.latest = after;
    if (after === undefined || !isOpen(after)) slot?.attempt?.stop("over");
    this.wake();
  }

  /** A task with a slot is looked at again when that is given back. */
  #consider(task: VideoTask): void {
    if (this.#slots.of(task.id) !== undefined) return;
    if (isClaimable(task)) this.#queue.put(task);
    else this.#queue.remove(task.id);
  }

  #begin(task: VideoTask): void {
    const slot = this.#slots.take(task);
    this.#work(slot).then(
      () => this.#giveBack(slot, 0),
      (error) => this.#giveBack(slot, this.#restAfter(slot, error)),
    );
  }

  #noteDisk(isFull: boolean): void {
    if (isFull === this.#isDiskFull) return;
    this.#isDiskFull = isFull;
    this.#deps.onEvent({ kind: isFull ? "paused" : "resumed", why: "disk_full" });
  }

  /** Gives the milliseconds that a task rests after an attempt that could not even fail properly. */
  #restAfter({ task: { id } }: Slot, error: unknown): number {
    if (isDiskFull(error)) {
      this.#restUntil = this.#deps.clock.monotonic() + FULL_RETRY_MS;
      return 0;
    }
    this.#trouble(id, error);
    return TROUBLE_REST_MS;
  }

  #giveBack(slot: Slot, restMs: number): void {
    this.#slots.giveBack(slot);
    this.#queue.leave(slot.task.projectId);
    if (slot.latest !== undefined) {
      const rests = restMs > 0 ? this.#deps.clock.now() + restMs : 0;
      this.#consider({ ...slot.latest, notBefore: Math.max(slot.latest.notBefore, rests) });
    }
    this.wake();
  }

  async #work(slot: Slot): Promise<void> {
    const claimed = await this.#claim(slot.task);
    if (claimed === undefined) return;
    const attempt = new Attempt(this.#deps, claimed);
    slot.attempt = attempt;
    if (this.#end.signal.aborted) attempt.stop("draining");
    this.#deps.onEvent({ kind: "claimed", ...attempt.name });
    const executor = slot.isLocal ? this.#deps.local : this.#deps.upstream;
    await workAttempt({ ...this.#deps, roomWaits: this.#roomWaits }, attempt, executor);
  }

  /** One statement that compares and sets: whoever was quicker has the task. */
  #claim({ id }: VideoTask): Promise<VideoTask | undefined> {
    const { book, sessions, clock } = this.#deps;
    return book.change(id, (task) => {
      if (!isClaimable(task) || this.#end.signal.aborted) return undefined;
      const now = clock.now();
      return {
        set: {
          status: "in_progress",
          attempt: task.attempt + 1,
          lease: { session: sessions.own, until: now + LEASE_MS },
          startedAt: task.startedAt ?? now,
        },
      };
    });
  }

  async #sweeps(): Promise<void> {
    for (;;) {
      await this.#deps.delay(SWEEP_MS, this.#end.signal);
      if (this.#end.signal.aborted) return;
      await this.#rescuer.sweep();
      await this.#displace();
      this.wake();
    }
  }

  /** One at a time; a full disk or fault is met again by the next sweep. */
  #displace(): Promise<unknown> {
    if (!this.#isStarted || this.#end.signal.aborted) return Promise.resolve();
    return this.#displacing ??= moveDisplacedTasks(this.#deps).catch((error) => {
      if (!isDiskFull(error)) {
        this.#trouble(undefined, error);
      }
    }).finally(() => this.#displacing = undefined);
  }

  /** Wakes the runner when the next task is due, a route has cooled down, or the disk may have room. */
  #setAlarm(coolUntil: number): void {
    if (this.#queue.size === 0) return;
    const now = this.#deps.clock.monotonic();
    const dueAt = now + (this.#queue.nextDueMs() ?? Infinity);
    const roomAt = this.#isDiskFull ? now + FULL_RETRY_MS : Infinity;
    const restAt = this.#restUntil > now ? this.#restUntil : Infinity;
    this.#alarm.set(Math.min(dueAt, roomAt, restAt, coolUntil));
  }

  #stopAttempts(why: "draining" | "stopped"): void {
    for (const { attempt } of this.#slots.all()) attempt?.stop(why);
  }

  async #idle(withinMs: number): Promise<void> {
    const over = new AbortController();
    const done = Promise.all([
      ...[...this.#slots.all()].map((slot) => slot.done),
      this.#deps.canceller.idle(),
    ]);
    await Promise.race([done, this.#deps.delay(withinMs, over.signal)]);
    over.abort();
  }

  /** What goes on in the background has a fault, which is the operator's to know. */
  #trouble(taskId: string | undefined, error: unknown): void {
    this.#deps.onEvent({ kind: "trouble", taskId, error });
  }
}
