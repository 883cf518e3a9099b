/**
 * Which changes of a task there may be.
 *
 * @module
 */

import { isOpen, mayFollow, type VideoTask } from "../../domain/video_task.ts";
import type { TaskChange } from "./task_book.ts";

/** A change that the table of transitions does not have is a fault of the program. */
export function checkChange(
  before: VideoTask,
  { after, change }: { readonly after: VideoTask; readonly change: TaskChange },
): void {
  if (!mayFollow(before, after)) {
    throw new TypeError(
      `Cannot change task ${before.id} from ${before.status} at ${before.progress} % to ${after.status} at ${after.progress} %`,
    );
  }
  const ends = isOpen(before) && !isOpen(after);
  if (ends !== (change.close !== undefined)) {
    throw new TypeError(`Cannot change task ${before.id} as its call must end with it, not apart`);
  }
}
