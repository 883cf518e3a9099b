/**
 * Whether the disk has room: for the films that are promised, and for those that
 * are being made.
 *
 * @module
 */

import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import type { ContentFiles } from "./content_files.ts";
import { estimateFilmBytes } from "./film_bytes.ts";
import type { TaskBook } from "../task_book.ts";

/** Kept free for the database, whatever films take. */
const RESERVE_BYTES = 4 * 1024 ** 2;

/** What the answer depends on. */
export interface DiskRoomOptions {
  readonly book: TaskBook;
  readonly files: Pick<ContentFiles, "freeBytes" | "partBytes">;
}

/** Compares what is free with what films will take. */
export class DiskRoom {
  readonly #files: DiskRoomOptions["files"];
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

  /**
   * Whether this many bytes more fit beside the films promised already.
   *
   * @throws When the folder cannot be looked at.
   */
  hasRoomFor(moreBytes: number): boolean {
    return this.#files.freeBytes() >= this.#promisedBytes + moreBytes + RESERVE_BYTES;
  }

  /**
   * Bytes for films that are begun now, beside what those under way still have to
   * write; at most 0 when there is no room at all. Whatever waits takes nothing
   * yet: counting it here would keep everything waiting for ever.
   *
   * @throws When the folder cannot be looked at.
   */
  bytesBeside(underWay: Iterable<VideoTask>): number {
    let bytes = this.#files.freeBytes() - RESERVE_BYTES;
    for (const task of underWay) {
      bytes -= Math.max(0, estimateFilmBytes(task) - this.#files.partBytes(task.id));
    }
    return bytes;
  }
}
