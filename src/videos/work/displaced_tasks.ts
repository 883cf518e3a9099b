/**
 * Finds another route for tasks that wait on one that is switched off, gone or
 * out of order. Those for which there is none go on waiting.
 *
 * @module
 */

import type { VideoTask } from "../../domain/video_task.ts";
import { type LineState, lineState, type LineStateDeps } from "./line_state.ts";
import type { Rerouter } from "./reroute.ts";
import type { TaskBook } from "../task/task_book.ts";
import { isClaimable, unclaimedTaskWriter } from "../task/task_writer.ts";

/** What moving needs. */
export interface DisplacedTasksDeps extends LineStateDeps {
  readonly book: TaskBook;
  readonly rerouter: Rerouter;
}

/** Moved at one time; the next sweep goes on. */
const MOST_MOVES = 200;

/**
 * Moves tasks; gives how many.
 *
 * @throws {GatewayError} `storage_full`
 */
export async function moveDisplacedTasks(deps: DisplacedTasksDeps): Promise<number> {
  const { book, rerouter } = deps;
  const states = new Map<string, LineState>();
  /** Requests like these have no other route now. */
  const hopeless = new Set<string>();
  let moved = 0;
  for (const task of [...book.openTasks()]) {
    if (moved >= MOST_MOVES) break;
    if (!isClaimable(task) || stateOf(task) === "open") continue;
    const needs = rerouter.hasFailures(task.id) ? undefined : needsOf(task);
    if (needs !== undefined && hopeless.has(needs)) continue;
    const writer = unclaimedTaskWriter(book, task.id);
    if (await rerouter.move(task, { writer, change: () => ({}) }) !== undefined) moved++;
    else if (needs !== undefined) hopeless.add(needs);
  }
  return moved;

  function stateOf(task: VideoTask): LineState {
    const line = { ...task, hasJob: task.job !== undefined };
    const key = `${line.hasJob} ${line.provider} ${line.route} ${line.projectId}`;
    let state = states.get(key);
    if (state === undefined) {
      state = lineState(deps, line);
      states.set(key, state);
    }
    return state;
  }
}

/** Everything that decides which routes fit, and whose balance pays. */
function needsOf(task: VideoTask): string {
  const { projectId, model, route, size, seconds, wishes, fields, referenceType } = task;
  const names = Object.keys(fields);
  return JSON.stringify([projectId, model, route, size, seconds, wishes, names, referenceType]);
}
