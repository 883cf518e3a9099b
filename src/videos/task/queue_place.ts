/**
 * Where a task stands that waits for its first attempt: how many begin before it, by the turns that
 * the queue gives projects.
 *
 * @module
 */

import { turnOf, type VideoTask } from "../../domain/video_task.ts";

/** What a place is told by. */
type Waiting =
  & Pick<VideoTask, "id" | "callId" | "movedTo" | "projectId" | "route" | "lease" | "status">
  & {
    readonly seconds: number;
  };

/** A place in the queue of a route. */
export interface QueuePlace {
  /** 1 for the next one. */
  readonly position: number;
  /** Tasks that wait for the route. */
  readonly waiting: number;
  /** Tasks that it works on. */
  readonly underWay: number;
  /** Seconds of film that are made before this one begins; what is under way counts half. */
  readonly filmSecondsAhead: number;
}

/**
 * The place of a task among the open ones. Projects take turns, so each other one begins at most as
 * many before it as its own has earlier ones, and one more.
 *
 * @returns `undefined` where the task does not wait for a first attempt.
 */
export function placeInQueue<Task extends Waiting>(
  task: Task,
  open: Iterable<Task>,
): QueuePlace | undefined {
  if (task.status !== "queued") return undefined;
  const byProject = new Map<string, Task[]>();
  let waiting = 0;
  let underWay = 0;
  let filmSecondsAhead = 0;
  for (const other of open) {
    if (other.route !== task.route) continue;
    if (other.lease !== undefined) {
      underWay++;
      filmSecondsAhead += other.seconds / 2;
      continue;
    }
    waiting++;
    const own = byProject.get(other.projectId);
    if (own === undefined) byProject.set(other.projectId, [other]);
    else own.push(other);
  }
  const earlier = (byProject.get(task.projectId) ?? []).filter((other) =>
    turnOf(other) < turnOf(task)
  );
  const turns = earlier.length + 1;
  const ahead = [...earlier];
  for (const [project, tasks] of byProject) {
    if (project === task.projectId) continue;
    ahead.push(...tasks.toSorted((one, two) => turnOf(one) - turnOf(two)).slice(0, turns));
  }
  for (const { seconds } of ahead) filmSecondsAhead += seconds;
  return { position: ahead.length + 1, waiting, underWay, filmSecondsAhead };
}

/** A film that was made, with how long that took. */
type Made = Pick<VideoTask, "route" | "startedAt" | "completedAt"> & { readonly seconds: number };

/**
 * Milliseconds until a place's turn, by how long the route took for films lately; `undefined` where
 * it has made none of late.
 */
export function waitAt(
  place: QueuePlace,
  route: string,
  lately: readonly Made[],
): number | undefined {
  let tookMs = 0;
  let filmSeconds = 0;
  for (const { startedAt, completedAt, seconds, ...made } of lately) {
    if (made.route !== route || startedAt === undefined || completedAt === undefined) continue;
    tookMs += completedAt - startedAt;
    filmSeconds += seconds;
  }
  if (filmSeconds === 0) return undefined;
  const atATime = Math.max(1, place.underWay);
  return Math.round(place.filmSecondsAhead * (tookMs / filmSeconds) / atATime);
}
