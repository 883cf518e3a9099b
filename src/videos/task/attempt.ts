/**
 * One attempt at one task: its lease, its progress, and the fence that keeps it
 * from changing a task that has moved on without it.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Sessions } from "../../domain/session.ts";
import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import { isDiskFull } from "../../files/disk_full.ts";
import type { AttemptName } from "./runner_event.ts";
import type { TaskBook, TaskChange } from "./task_book.ts";

/** A claim is good for so long, unless it is renewed. */
export const LEASE_MS = 30_000;
/** How often it is renewed at least. */
const HEARTBEAT_MS = 5_000;
/** How often {@linkcode Attempt.beat} is to be called: progress is stored no more often. */
export const BEAT_MS = 1_000;
/** 100 is for films that are on disk. */
const MOST_PROGRESS = 99;
const STORE_RETRY_MS = 1_000;

/**
 * Why an attempt is to end.
 * - `over`: the task was deleted or has ended without it.
 * - `lost`: another attempt may have taken the task over.
 * - `draining`: the gateway stops; what can be left as it is, is left.
 * - `stopped`: the time to stop is up.
 */
export type AttemptStop = "over" | "lost" | "draining" | "stopped";

/** What an attempt works with. */
export interface AttemptDeps {
  readonly book: TaskBook;
  readonly clock: Clock;
  readonly sessions: Sessions;
  /** Waits; resolves early when the signal fires. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

export class Attempt {
  readonly #deps: AttemptDeps;
  readonly #work = new AbortController();
  readonly #hard = new AbortController();
  #task: VideoTask;
  #stop: AttemptStop | undefined;
  #shown: number;
  #renewedAt: number;
  #aliveAt: number;
  #leaseUntil: number;
  /** Attempts that show no sign of life for so long are given up. */
  #silenceMs = Infinity;

  /** @param claimed The task as the claim stored it. */
  constructor(deps: AttemptDeps, claimed: VideoTask) {
    this.#deps = deps;
    this.#task = claimed;
    this.#shown = claimed.progress;
    const now = deps.clock.monotonic();
    this.#aliveAt = now;
    this.#renewedAt = now;
    this.#leaseUntil = now + LEASE_MS;
  }

  /** The task as this attempt last stored it. */
  get task(): VideoTask {
    return this.#task;
  }

  /** Names the attempt in events. */
  get name(): AttemptName {
    return nameOf(this.#task);
  }

  /** Fires when the attempt is to end, whatever the reason. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** Fires when nobody waits for the attempt any more: it is lost, or the time to stop is up. */
  get hardSignal(): AbortSignal {
    return this.#hard.signal;
  }

  /** Why it is to end; `undefined` while it may go on. */
  get stopped(): AttemptStop | undefined {
    return this.#stop;
  }

  /** Ends the attempt. The first reason stays, but time may be up after it. */
  stop(why: AttemptStop): void {
    if (this.#stop === undefined || this.#stop === "draining") this.#stop = why;
    this.#work.abort();
    if (why === "stopped" || this.#stop === "lost") this.#hard.abort();
  }

  /** Whether a task is this attempt's to change. */
  owns({ id, status, attempt, lease }: VideoTask): boolean {
    return id === this.#task.id && isOpen({ status }) && attempt === this.#task.attempt &&
      lease?.session === this.#deps.sessions.own;
  }

  /** Sets how long the work may take from one sign of life to the next, from now on. */
  expectSigns(withinMs: number): void {
    this.#silenceMs = withinMs;
    this.alive();
  }

  /** A sign of life. */
  alive(): void {
    this.#aliveAt = this.#deps.clock.monotonic();
  }

  /** A sign of life with the percentage that is done: seen by nobody before it is stored. */
  progress(percent: number): void {
    this.alive();
    if (!Number.isFinite(percent)) return;
    this.#shown = Math.max(this.#shown, Math.min(MOST_PROGRESS, Math.floor(percent)));
  }

  /** Whether the lease has run out, by a clock that nobody can set. */
  get isLapsed(): boolean {
    return this.#deps.clock.monotonic() >= this.#leaseUntil;
  }

  /** Renews the lease when it is time, and stores new progress. The lease of a silent attempt runs out. */
  async beat(): Promise<void> {
    const now = this.#deps.clock.monotonic();
    if (this.#stop !== undefined || now - this.#aliveAt > this.#silenceMs) return;
    this.#leaseUntil = now + LEASE_MS;
    if (this.#shown <= this.#task.progress && now - this.#renewedAt < HEARTBEAT_MS) return;
    this.#renewedAt = now;
    try {
      await this.change((task) => ({ set: this.#renewal(task) }));
    } catch (error) {
      // The next beat tries again; meanwhile nobody else can write either.
      if (!isDiskFull(error)) throw error;
    }
  }

  /**
   * Changes the task if it is still this attempt's; otherwise nothing happens and
   * the attempt is to end.
   *
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  async change(decide: (task: VideoTask) => TaskChange): Promise<VideoTask | undefined> {
    let isOwn = false;
    const changed = await this.#deps.book.change(this.#task.id, (task) => {
      isOwn = this.owns(task);
      const change = isOwn ? decide(task) : undefined;
      if (change === undefined) return undefined;
      // A film that fails between two beats keeps the progress that it had.
      return { ...change, set: { progress: Math.max(task.progress, this.#shown), ...change.set } };
    });
    if (changed !== undefined) this.#task = changed;
    else if (!isOwn) this.stop("lost");
    return changed;
  }

  /** As {@linkcode Attempt.change}, but waits for a full disk to have room again. */
  async store(decide: (task: VideoTask) => TaskChange): Promise<VideoTask | undefined> {
    for (;;) {
      try {
        return await this.change(decide);
      } catch (error) {
        if (!isDiskFull(error) || this.#hard.signal.aborted) throw error;
        this.alive();
        await this.#deps.delay(STORE_RETRY_MS, this.#hard.signal);
      }
    }
  }

  #renewal(task: VideoTask): TaskChange["set"] {
    const { sessions, clock } = this.#deps;
    return {
      lease: { session: sessions.own, until: clock.now() + LEASE_MS },
      progress: Math.max(task.progress, this.#shown),
    };
  }
}

/** A task's attempt in events. */
export function nameOf({ id, requestId, provider, route, attempt }: VideoTask): AttemptName {
  return { taskId: id, requestId, provider, route, attempt };
}
