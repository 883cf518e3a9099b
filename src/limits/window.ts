/**
 * What a count over the last minute is, wherever it lies.
 *
 * @module
 */

/** Length of the window, in one-second buckets. */
export const WINDOW_SECONDS = 60;

/**
 * What is added in second `s` counts up to and including second `s + 59`. Time is given in whole
 * seconds of a clock that never goes backwards.
 */
export interface Window {
  /** Adds to a second within the window, or takes away; what is older is past and is ignored. */
  add(second: number, amount: number): void;
  sum(second: number): number;
  /** Whether so much more leaves it at `most` or less. */
  hasRoom(second: number, amount: number, most: number): boolean;
  /** Adds where there is room; says whether. Of all who do so at one time none is let in too many. */
  take(second: number, amount: number, most: number): boolean;
  /**
   * The first second in which the sum is at most `most`, without further
   * additions; at least `second` itself. `most` must not be negative: by then
   * the window is empty at the latest.
   */
  secondWithAtMost(most: number, second: number): number;
  /** What each second has that counts and is not empty. */
  seconds(): Iterable<readonly [second: number, amount: number]>;
}

/** How many run at one time, wherever that is counted. */
export interface Places {
  readonly taken: number;
  /** Takes one where fewer than `most` are taken; says whether. */
  take(most: number): boolean;
  leave(): void;
}
