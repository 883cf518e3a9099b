/**
 * How many video tasks of a project and of a key are open, against their limits.
 *
 * @module
 */

import type { Limits } from "../domain/catalogue.ts";
import { GatewayError } from "../errors.ts";
import type { LimitScope, LimitSubject } from "./limiter.ts";

/** Someone with an id and limits of its own: a project or a key. */
export interface LimitedOwner {
  readonly id: string;
  readonly limits: Limits;
}

/** Whose task it is. */
export interface TaskOwners {
  readonly project: LimitedOwner;
  readonly key: LimitedOwner;
}

/** A stored task, as far as it counts here. */
export interface CountedTask {
  readonly projectId: string;
  readonly keyId: string;
}

/** What is left to a subject. */
export interface RemainingTasks {
  readonly limit: number;
  readonly remaining: number;
}

/** When an open task ends, nobody knows: ask again in this many seconds. */
const RETRY_SECONDS = 10;

/**
 * Counts open tasks. Everything is counted whichever limit is set, so that one
 * that comes later finds true counts; a subject without open tasks costs nothing.
 */
export class OpenTaskLimits {
  readonly #counts: { readonly [scope in LimitScope]: Map<string, number> } = {
    project: new Map(),
    key: new Map(),
  };

  /**
   * Counts a task that is about to be made. Checks both owners before it counts
   * for either: a refusal leaves no trace.
   *
   * @returns Takes the task back, as if it had never been counted; once, however
   * often it is called. For a task that was not made after all: one that ends is
   * told of by {@linkcode OpenTaskLimits.release}.
   * @throws {GatewayError} `pool_limit_exceeded`
   */
  take({ project, key }: TaskOwners): () => void {
    this.#check("project", project);
    this.#check("key", key);
    const task = { projectId: project.id, keyId: key.id };
    this.restore(task);
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      this.release(task);
    };
  }

  /** Counts a task that was open when this process began, also beyond a limit. */
  restore({ projectId, keyId }: CountedTask): void {
    add(this.#counts.project, projectId, 1);
    add(this.#counts.key, keyId, 1);
  }

  /** A counted task is open no more: completed, failed or deleted. Once per task. */
  release({ projectId, keyId }: CountedTask): void {
    add(this.#counts.project, projectId, -1);
    add(this.#counts.key, keyId, -1);
  }

  /** What a subject's limit leaves; `undefined` where none is set. */
  remaining(
    { scope, id, limits: { openVideoTasks: limit } }: LimitSubject,
  ): RemainingTasks | undefined {
    if (limit === undefined) return undefined;
    return { limit, remaining: Math.max(0, limit - this.#count(scope, id)) };
  }

  #check(scope: LimitScope, { id, limits: { openVideoTasks: limit } }: LimitedOwner): void {
    if (limit !== undefined && this.#count(scope, id) >= limit) throw tooManyOpen(scope, limit);
  }

  #count(scope: LimitScope, id: string): number {
    return this.#counts[scope].get(id) ?? 0;
  }
}

/** What is told to whom the limit refuses. */
export function tooManyOpen(scope: LimitScope, limit: number): GatewayError {
  return new GatewayError(
    "pool_limit_exceeded",
    `This ${scope}'s limit of ${limit} unfinished video tasks is reached: wait for one to ` +
      `end, or delete one`,
    { retryAfterSeconds: RETRY_SECONDS, why: `${scope}_open_video_tasks` },
  );
}

function add(counts: Map<string, number>, id: string, change: 1 | -1): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}
