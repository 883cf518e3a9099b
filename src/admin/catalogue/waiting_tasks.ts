/**
 * Video tasks that a change of the catalogue leaves without their route.
 *
 * @module
 */

import type { AdminDeps } from "../base/deps.ts";

/** Looked at; whoever has more of them learns enough. */
const MOST_TASKS = 1_000;

/**
 * Looks at the open tasks before a change, so that nothing can fail behind it. What it gives
 * warns, when that is made, of those that nobody begins now, although nothing has refused them.
 */
export async function watchOpenTasks(
  { storage, catalogue }: Pick<AdminDeps, "storage" | "catalogue">,
): Promise<() => readonly string[]> {
  const tasks = (await storage.videos.open(0, MOST_TASKS))
    .filter(({ lease, job }) => lease === undefined && job === undefined);
  return () => {
    const { current } = catalogue;
    const { length } = tasks.filter(({ route, provider }) =>
      current.route(route)?.providerId !== provider
    );
    if (length === 0) return [];
    return [
      `${length === 1 ? "1 video task waits" : `${length} video tasks wait`} for a route that is ` +
      "gone: those that no other takes fail in 24 hours, unless it comes back. See tollgate " +
      "videos list",
    ];
  };
}
