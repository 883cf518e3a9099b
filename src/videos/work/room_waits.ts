/**
 * How long tasks wait whose films the disk had no room for: longer each time, so that a
 * disk that stays full is not written to again and again.
 *
 * @module
 */

import { isOpen } from "../../domain/video_task.ts";
import type { TaskBook } from "../task/task_book.ts";

const FIRST_WAIT_MS = 3_000;
/** No wait is longer, and what was written is not kept for one: others may need the room. */
export const MOST_ROOM_WAIT_MS = 300_000;

/** In memory alone: a start begins with short waits. */
export class RoomWaits {
  /** The last wait of each task that is open and has had one, in milliseconds. */
  readonly #waits = new Map<string, number>();

  /** Follows the book from now on. */
  constructor(book: Pick<TaskBook, "subscribe">) {
    book.subscribe((before, after) => {
      if (after === undefined || !isOpen(after)) this.#waits.delete((after ?? before)!.id);
    });
  }

  /** The milliseconds that a task waits now. */
  next(taskId: string): number {
    const last = this.#waits.get(taskId);
    const waitMs = last === undefined ? FIRST_WAIT_MS : Math.min(MOST_ROOM_WAIT_MS, last * 2);
    this.#waits.set(taskId, waitMs);
    return waitMs;
  }
}
