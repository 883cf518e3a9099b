/**
 * How fast the large bodies of one project are taken. To read and to parse a body keeps the event
 * loop from everybody else's calls for a time by its size, so one project's bodies, however many
 * come at once, wait for their turns: its connections are just not read until then. Large
 * answers that are kept count for the bodies after them.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";

/** Smaller ones are read at once and are not counted. */
export const LARGE_BYTES = 256 * 1024;
/** Of one project: some hundredths of the event loop's time. */
const BYTES_PER_SECOND = 16 * 1024 ** 2;
/** What a project may send at once after a while without: a few of the largest bodies. */
const BURST_BYTES = 64 * 1024 ** 2;
/**
 * A body that would have to wait for longer is not counted: whoever sends it has to be refused.
 * Else clients that give up and send again would push their own project's turns back for ever.
 */
export const MOST_WAIT_MS = 30_000;

const msOf = (bytes: number): number => bytes / BYTES_PER_SECOND * 1_000;

/** Counts the large bodies of each owner, by the generic cell rate algorithm (ITU-T I.371, annex A). */
export class LargeBodyTurns {
  readonly #clock: Clock;
  /** When what an owner has sent would be taken at the steady rate: monotonic milliseconds. */
  readonly #takenAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a body and gives the milliseconds until its turn: 0 at once. The turns of one owner come
   * in the order in which they were asked for. Beyond {@linkcode MOST_WAIT_MS} there is none.
   */
  turnInMs(owner: string, bytes: number): number {
    if (bytes < LARGE_BYTES && bytes > 0) return 0;
    const now = this.#clock.monotonic();
    const takenAt = this.#takenAt.get(owner);
    if (takenAt === undefined && bytes === 0) return 0;
    const since = Math.max(takenAt ?? now, now);
    const waitMs = Math.max(0, since - now - msOf(BURST_BYTES));
    if (bytes > 0 && waitMs <= MOST_WAIT_MS) this.#takenAt.set(owner, since + msOf(bytes));
    return waitMs;
  }
}
