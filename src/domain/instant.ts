/**
 * How long ago something was, whatever has happened to the machine since: one clock stands still while
 * it is suspended, and the other is set now and then.
 *
 * @module
 */

/** A point in time by both clocks. */
export interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

export function instantNow(): Instant {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Milliseconds by whichever clock has gone further. */
export function sinceInstant({ monotonic, wall }: Instant): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}
