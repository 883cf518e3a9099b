/**
 * Time and chance as arguments, so that tests decide them.
 *
 * @module
 */

/** A source of time. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes backwards. Durations use this. */
  monotonic(): number;
}

/** A source of chance: uniform numbers in [0, 1). */
export type Random = () => number;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
