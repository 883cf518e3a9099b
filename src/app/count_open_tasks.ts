/**
 * How many video tasks projects and keys have open.
 *
 * @module
 */

import { isOpen } from "../domain/video_task.ts";
import { OpenTaskLimits } from "../limits/open_tasks.ts";
import type { TaskBook } from "../videos/task/task_book.ts";

/** Counts the open tasks from now on. Who creates one counts it first, to stay within the limits. */
export function countOpenTasks(book: TaskBook): OpenTaskLimits {
  const openTasks = new OpenTaskLimits();
  for (const task of book.openTasks()) openTasks.restore(task);
  book.subscribe((before, after) => {
    if (before === undefined || !isOpen(before)) return;
    if (after === undefined || !isOpen(after)) openTasks.release(before);
  });
  return openTasks;
}
