/**
 * Who may change a task: its attempt, or whoever looks after tasks that have none.
 *
 * @module
 */

import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import type { TaskBook, TaskChange } from "./task_book.ts";

/** A right to change one task, which ends when the task moves on. */
export interface TaskWriter {
  /** Whether the task in this state may be changed. */
  owns(task: VideoTask): boolean;
  /**
   * Changes it if it may be; gives `undefined` otherwise, or when the balance does
   * not cover a move.
   *
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  change(decide: (task: VideoTask) => TaskChange): Promise<VideoTask | undefined>;
}

/** A right to change a task as long as it is open, whoever works on it. */
export function openTaskWriter(book: TaskBook, taskId: string): TaskWriter {
  return writerWhile(book, { taskId, owns: isOpen });
}

/** A right to change a task as long as nobody has claimed it. */
export function unclaimedTaskWriter(book: TaskBook, taskId: string): TaskWriter {
  return writerWhile(book, { taskId, owns: isClaimable });
}

/** A right to change a task as long as it has the lease that it has here. */
export function leaseWriter(book: TaskBook, { id, attempt, lease }: VideoTask): TaskWriter {
  return writerWhile(book, {
    taskId: id,
    owns: (task) =>
      isOpen(task) && task.attempt === attempt && task.lease?.session === lease?.session,
  });
}

/** Whether a task waits for an attempt, now or later. One that may have begun elsewhere waits for its end. */
export function isClaimable(task: VideoTask): boolean {
  return isOpen(task) && task.lease === undefined && !task.mayHaveBegun;
}

function writerWhile(
  book: TaskBook,
  { taskId, owns }: { readonly taskId: string; readonly owns: (task: VideoTask) => boolean },
): TaskWriter {
  return {
    owns,
    change: (decide) => book.change(taskId, (task) => owns(task) ? decide(task) : undefined),
  };
}
