/**
 * The places of attempts under way, within the limits: Workers here, and jobs at
 * a time of each route.
 *
 * @module
 */

import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import type { Registry } from "../../providers/registry.ts";
import type { Attempt } from "../task/attempt.ts";
import type { VideoLine } from "./video_queue.ts";

/** What the limits depend on. */
export interface SlotsOptions {
  readonly catalogue: CatalogueHolder;
  readonly registry: Pick<Registry, "provider">;
  /** Films rendered here at a time. */
  readonly localWorkers: number;
}

/** A place taken. */
export interface Slot {
  /** As it was when the place was taken. */
  readonly task: VideoTask;
  /** Whether its film is rendered here. */
  readonly isLocal: boolean;
  /** `undefined` until the task is claimed. */
  attempt: Attempt | undefined;
  /** The newest state of the task; `undefined` when it was deleted. */
  latest: VideoTask | undefined;
  /** Resolves when the place has been given back. */
  readonly done: Promise<void>;
}

/** A route without a limit of its own is not sent more jobs at a time. */
const ROUTE_CONCURRENCY = 64;

export class Slots {
  readonly #options: SlotsOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #onRoute = new Map<string, number>();
  readonly #resolvers = new WeakMap<Slot, () => void>();
  #localRunning = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /** Places taken. */
  get size(): number {
    return this.#slots.size;
  }

  /** The place of a task. */
  of(taskId: string): Slot | undefined {
    return this.#slots.get(taskId);
  }

  /** Every place taken. */
  all(): Iterable<Slot> {
    return this.#slots.values();
  }

  /** The tasks that places are taken for. */
  *tasks(): Iterable<VideoTask> {
    for (const { task } of this.#slots.values()) yield task;
  }

  /** Whether another attempt may begin in a line; a job under way is only asked after. */
  hasRoom({ route: id, provider, hasJob }: VideoLine): boolean {
    if (hasJob) return true;
    const { catalogue, localWorkers } = this.#options;
    const isLocal = this.#isLocal(provider);
    if (isLocal && this.#localRunning >= localWorkers) return false;
    const limit = catalogue.current.route(id)?.limits.concurrent ??
      (isLocal ? Infinity : ROUTE_CONCURRENCY);
    return (this.#onRoute.get(id) ?? 0) < limit;
  }

  /** Takes a place for a task that has none. */
  take(task: VideoTask): Slot {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const isLocal = this.#isLocal(task.provider);
    const slot: Slot = { task, isLocal, attempt: undefined, latest: task, done };
    this.#resolvers.set(slot, resolve);
    this.#slots.set(task.id, slot);
    this.#onRoute.set(task.route, (this.#onRoute.get(task.route) ?? 0) + 1);
    if (isLocal) this.#localRunning++;
    return slot;
  }

  /** Gives a place back. */
  giveBack(slot: Slot): void {
    const { id, route } = slot.task;
    this.#slots.delete(id);
    const running = this.#onRoute.get(route)! - 1;
    if (running === 0) this.#onRoute.delete(route);
    else this.#onRoute.set(route, running);
    if (slot.isLocal) this.#localRunning--;
    this.#resolvers.get(slot)!();
  }

  #isLocal(providerId: string): boolean {
    return this.#options.registry.provider(providerId)?.rendersVideos === true;
  }
}
