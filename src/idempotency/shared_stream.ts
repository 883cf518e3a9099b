/**
 * One stream of text with many readers: each gets every part from the first on, and the
 * fastest sets the pace. What was read is kept within bounds, to be read again and to be
 * stored; past them nobody can join, and the slowest reader sets the pace.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Listener } from "./audience.ts";
import type { TextParts } from "../domain/text_parts.ts";

/** The memory that answers may take while they are remembered or repeated, shared with others. */
export interface AnswerRoom {
  /** Takes bytes if they are free; says whether. */
  tryReserve(bytes: number): boolean;
  /** Gives back what was taken. */
  release(bytes: number): void;
}

/** What a stream is shared with. */
export interface SharedStreamOptions {
  readonly room: AnswerRoom;
  /** Bytes of text that are kept at most. */
  readonly mostBytes: number;
  /** A part that only shows that the stream is alive: for those who wait now, and no part of the text. */
  readonly fleetingPart: string;
  /** Told when the source has given its last part. */
  readonly onEnd: () => void;
}

interface Reader {
  readonly listener: Listener;
  /** Number of the part that it reads next. */
  position: number;
  hasLeft: boolean;
}

export class SharedStream {
  readonly #source: TextParts;
  readonly #options: SharedStreamOptions;
  readonly #readers = new Set<Reader>();
  /** Parts from number `#dropped` on. */
  #parts: string[] = [];
  #dropped = 0;
  #keptBytes = 0;
  #isTooLarge = false;
  #hasEnded = false;
  /** Resolves with a fleeting part, or with nothing when there is news. */
  #pulling: Promise<string | undefined> | undefined;
  #caughtUp: PromiseWithResolvers<void> | undefined;

  constructor(source: TextParts, options: SharedStreamOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Whether a new reader can still get all of it. */
  get isWhole(): boolean {
    return !this.#isTooLarge;
  }

  /** Adds a reader, who leaves with its listener. */
  join(listener: Listener): TextParts {
    const reader: Reader = { listener, position: 0, hasLeft: false };
    this.#readers.add(reader);
    return {
      next: () => this.#next(reader),
      cancel: () => Promise.resolve(this.#leave(reader)),
    };
  }

  /** All that was read and its last part; `undefined` when that is too much to be kept. */
  textWith(tail: string): string | undefined {
    if (this.#isTooLarge) return undefined;
    const bytes = this.#keptBytes + Buffer.byteLength(tail);
    return bytes > this.#options.mostBytes ? undefined : this.#parts.join("") + tail;
  }

  /**
   * Gives the memory back at once, as nobody reads any more. Resolves when the source is at
   * nothing: it may have been writing down the end of all this when the last reader left.
   */
  async close(): Promise<void> {
    this.#options.room.release(this.#keptBytes);
    this.#keptBytes = 0;
    this.#parts = [];
    this.#isTooLarge = true;
    await this.#pulling;
  }

  async #next(reader: Reader): Promise<string | undefined> {
    while (!reader.hasLeft) {
      const part = this.#parts[reader.position - this.#dropped];
      if (part !== undefined) {
        reader.position++;
        this.#dropRead();
        return part;
      }
      if (this.#hasEnded) {
        this.#leave(reader);
        break;
      }
      if (this.#isTooLarge && this.#parts.length > 0) {
        await (this.#caughtUp ??= Promise.withResolvers()).promise;
        continue;
      }
      const fleeting = await (this.#pulling ??= this.#pull());
      if (fleeting !== undefined) return fleeting;
    }
    return undefined;
  }

  async #pull(): Promise<string | undefined> {
    try {
      const part = await this.#source.next();
      if (part === this.#options.fleetingPart) return part;
      if (part !== undefined) this.#keep(part);
      else {
        this.#hasEnded = true;
        this.#options.onEnd();
      }
      return undefined;
    } finally {
      this.#pulling = undefined;
    }
  }

  #keep(part: string): void {
    this.#parts.push(part);
    if (this.#isTooLarge) return;
    const { room, mostBytes } = this.#options;
    const bytes = Buffer.byteLength(part);
    if (this.#keptBytes + bytes <= mostBytes && room.tryReserve(bytes)) {
      this.#keptBytes += bytes;
      return;
    }
    this.#isTooLarge = true;
    room.release(this.#keptBytes);
    this.#keptBytes = 0;
  }

  /** Of what cannot be kept only that stays which somebody has not read yet. */
  #dropRead(): void {
    if (!this.#isTooLarge) return;
    let first = this.#dropped + this.#parts.length;
    for (const { position } of this.#readers) if (position < first) first = position;
    this.#parts.splice(0, first - this.#dropped);
    this.#dropped = first;
    if (this.#parts.length > 0) return;
    this.#caughtUp?.resolve();
    this.#caughtUp = undefined;
  }

  #leave(reader: Reader): void {
    if (reader.hasLeft) return;
    reader.hasLeft = true;
    this.#readers.delete(reader);
    this.#dropRead();
    reader.listener.leave();
  }
}
