/**
 * Whether the disk has room for the films that are promised.
 *
 * @module
 */

import { isOpen } from "../domain/video_task.ts";
import type { ContentFiles } from "./content_files.ts";
import { estimateFilmBytes } from "./film_bytes.ts";
import type { TaskBook } from "./task_book.ts";

/** Kept free for the database, whatever films take. */
const RESERVE_BYTES = 4 * 1024 ** 2;

/** What the answer depends on. */
export interface DiskRoomOptions {
  readonly book: TaskBook;
  readonly files: Pick<ContentFiles, "freeBytes">;
}

/** Compares what is free with what all open tasks will take. */
export class DiskRoom {
  readonly #files: Pick<ContentFiles, "freeBytes">;
  #promisedBytes = 0;

  constructor({ book, files }: DiskRoomOptions) {
    this.#files = files;
    for (const task of book.openTasks()) this.#promisedBytes += estimateFilmBytes(task);
    book.subscribe((before, after) => {
      const wasOpen = before !== undefined && isOpen(before);
      const isNowOpen = after !== undefined && isOpen(after);
      if (wasOpen && !isNowOpen) this.#promisedBytes -= estimateFilmBytes(before);
      if (!wasOpen && isNowOpen) this.#promisedBytes += estimateFilmBytes(after);
    });
  }

  /** Whether this many bytes more fit beside the films promised already. */
  hasRoomFor(moreBytes: number): boolean {
    return this.#files.freeBytes() >= this.#promisedBytes + moreBytes + RESERVE_BYTES;
  }
}
