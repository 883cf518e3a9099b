/**
 * Whether the disk has room: for the films that are promised, and for those that
 * are being made.
 *
 * @module
 */

import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import type { ContentFiles } from "../files/content_files.ts";
import { contentBytesToCome, estimateContentBytes } from "../files/content_bytes.ts";
import type { TaskBook } from "../task/task_book.ts";

/** What the answer depends on. */
export interface DiskRoomOptions {
  readonly book: TaskBook;
  readonly files: Pick<ContentFiles, "partBytes">;
  /** Whether films that are made stay on the disk. Default: they do. */
  readonly keepsFilms?: boolean;
  /**
   * Bytes that films may still write: what is free above the part that is the ledger's.
   *
   * @throws When the folder cannot be looked at.
   */
  readonly freeBytes: () => number;
}

/** Compares what is free with what films will take. */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #promisedBytes = 0;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
    const { book } = options;
    for (const task of book.openTasks()) this.#promisedBytes += estimateContentBytes(task);
    book.subscribe((before, after) => {
      const wasOpen = before !== undefined && isOpen(before);
      const isNowOpen = after !== undefined && isOpen(after);
      if (wasOpen && !isNowOpen) this.#promisedBytes -= estimateContentBytes(before);
      if (!wasOpen && isNowOpen) this.#promisedBytes += estimateContentBytes(after);
    });
  }

  /**
   * Whether this many bytes more fit beside the films promised already, if those stay here.
   *
   * @throws When the folder cannot be looked at.
   */
  hasRoomFor(moreBytes: number): boolean {
    const freeBytes = this.#options.freeBytes();
    const { keepsFilms = true } = this.#options;
    const promisedBytes = keepsFilms ? this.#promisedBytes : 0;
    return freeBytes > 0 && freeBytes >= promisedBytes + moreBytes;
  }

  /**
   * Bytes for films that are begun now, beside what those under way still have to
   * write; at most 0 when there is no room at all. Whatever waits takes nothing
   * yet: counting it here would keep everything waiting for ever.
   *
   * @throws When the folder cannot be looked at.
   */
  bytesBeside(underWay: Iterable<VideoTask>): number {
    let bytes = this.#options.freeBytes();
    for (const task of underWay) {
      bytes -= contentBytesToCome(task, this.#options.files);
    }
    return bytes;
  }
}
