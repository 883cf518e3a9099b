/**
 * Moves a film that waits among those of its project that wait for the same route. Projects take turns
 * all the same, so that nobody's films come later by more than another order of one's own.
 *
 * @module
 */

import type { AuditNote } from "../domain/audit.ts";
import { turnOf, type VideoTask } from "../domain/video_task.ts";
import { GatewayError } from "../errors.ts";
import type { TaskBook } from "./task/task_book.ts";

/** Before all others, before the next one, behind the next one, behind all others. */
export const MOVES = ["front", "up", "down", "back"] as const;

export type Move = typeof MOVES[number];

/** How a film is moved. */
export interface MoveOptions {
  readonly to: Move;
  readonly noteOf: (task: VideoTask) => AuditNote;
}

/**
 * Moves a task; one that is there already stays, and nothing is noted.
 *
 * @returns The task as it is then; `undefined` where there is none.
 * @throws {GatewayError} `conflict` when it does not wait; `storage_full`. Nothing has changed.
 */
export async function moveVideo(
  book: TaskBook,
  taskId: string,
  { to, noteOf }: MoveOptions,
): Promise<VideoTask | undefined> {
  const moved = await book.change(taskId, (task) => {
    if (!waits(task)) {
      throw new GatewayError(
        "conflict",
        `Film ${task.id} does not wait to be begun: it is ${task.status}, and cannot be moved`,
      );
    }
    const movedTo = turnAt(task, [...book.openTasks()], to);
    return movedTo === undefined ? undefined : { set: { movedTo }, note: noteOf(task) };
  });
  return moved ?? await book.find(taskId);
}

/** The turn that a move gives; `undefined` where the task is there already. */
function turnAt(task: VideoTask, open: readonly VideoTask[], to: Move): number | undefined {
  const turns = open
    .filter((other) =>
      other.id !== task.id && other.projectId === task.projectId && other.route === task.route &&
      waits(other)
    )
    .map(turnOf).sort((one, other) => one - other);
  const own = turnOf(task);
  const before = turns.filter((turn) => turn < own);
  const behind = turns.filter((turn) => turn > own);
  if ((to === "front" || to === "up" ? before : behind).length === 0) return undefined;
  const first = to === "front" || (to === "up" && before.length === 1) ? before[0]! : undefined;
  if (first !== undefined) return within(first, Math.ceil(first) - 1, STEP);
  const last = to === "back" || (to === "down" && behind.length === 1) ? behind.at(-1)! : undefined;
  // Films that are ordered later have the turns of their calls: it comes before those.
  if (last !== undefined) return within(last, Math.floor(last) + 1, STEP);
  return to === "up"
    ? within(before.at(-2)!, before.at(-1)!, 1 / 2)
    : within(behind[0]!, behind[1]!, 1 / 2);
}

/** Of the way to the next call's turn: thousands of moves to one end have room. */
const STEP = 1 / 1024;

/**
 * A turn so much of the way from one to another one, and neither of them.
 *
 * @throws {GatewayError} `conflict` where numbers have no room left, after dozens of moves to one place.
 */
function within(from: number, to: number, part: number): number {
  const turn = from + (to - from) * part;
  if (turn !== from && turn !== to) return turn;
  throw new GatewayError(
    "conflict",
    "These films were moved between each other too often: move one to the front or back first",
  );
}

/** Whether it waits for its first attempt. */
function waits({ status, lease }: VideoTask): boolean {
  return status === "queued" && lease === undefined;
}
