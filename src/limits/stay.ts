/**
 * What a request has of what all of them share, from its arrival until it is over.
 *
 * @module
 */

import type { Permit } from "./permit.ts";

/** A count of bytes in memory that is shared with others. */
export interface ByteRoom {
  /** Takes bytes, or throws and takes none. */
  reserve(bytes: number): void;
  /** Gives back what was taken. */
  release(bytes: number): void;
  /**
   * Counts a body that is about to be read, or one of unknown length once it was, and gives the
   * milliseconds until its turn, of which `LargeBodyTurns` tells more; for 0 bytes it only gives
   * them. Absent: every body has its turn.
   */
  turnInMs?(bytes: number): number;
}

/**
 * A request's place among those that its project and key may have at the same time, and the bytes
 * of its body and of what that brings into memory. It ends with its handler, unless something that
 * lasts longer, such as a stream, has taken it over.
 */
export class Stay implements ByteRoom {
  #permit: Permit;
  readonly #room: ByteRoom;
  #bytes = 0;
  #isTakenOver = false;

  /** @param permit The place, already taken. */
  constructor(permit: Permit, room: ByteRoom) {
    this.#permit = permit;
    this.#room = room;
  }

  /** The request's place. */
  get permit(): Permit {
    return this.#permit;
  }

  /** Gives a place to a request that began without one, and turns out to need it. */
  enter(permit: Permit): void {
    this.#permit.release();
    this.#permit = permit;
  }

  /** @throws What the room throws when it has too little left. */
  reserve(bytes: number): void {
    this.#room.reserve(bytes);
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#room.release(bytes);
    this.#bytes -= bytes;
  }

  turnInMs(bytes: number): number {
    return this.#room.turnInMs?.(bytes) ?? 0;
  }

  /** Whoever calls this calls {@linkcode end}. */
  takeOver(): void {
    this.#isTakenOver = true;
  }

  /** The handler is done: ends the stay of a request that nothing has taken over. */
  leave(): void {
    if (!this.#isTakenOver) this.end();
  }

  /** Gives everything back; safe to call more than once. */
  end(): void {
    this.#permit.release();
    this.#room.release(this.#bytes);
    this.#bytes = 0;
  }
}
