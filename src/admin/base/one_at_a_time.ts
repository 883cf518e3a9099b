/**
 * Changes that read, decide and write wait for each other, so that none of two
 * at the same moment is lost.
 *
 * @module
 */

import type { AdminDeps } from "./deps.ts";

const queues = new WeakMap<object, Promise<unknown>>();

/** Runs `change` after every change given before it for the same gateway. */
export function oneAtATime<T>(
  deps: Pick<AdminDeps, "directory">,
  change: () => Promise<T>,
): Promise<T> {
  const before = queues.get(deps.directory) ?? Promise.resolve();
  const run = before.then(change, change);
  queues.set(deps.directory, run);
  return run;
}
