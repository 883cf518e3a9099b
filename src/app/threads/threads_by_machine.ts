/**
 * In how many threads a gateway serves that is not told.
 *
 * @module
 */

/** With more, the thread that keeps the books has as much to do as each of them: docs/speed.md. */
const MOST = 4;

/** What it depends on. */
export interface ThreadChoice {
  /** That this process may use, of a container's share where it has one. */
  readonly processors: number;
  /** Only Linux spreads connections over several listeners at one port. */
  readonly os: typeof Deno.build.os;
  /** A guard or traces, which see every call in one thread. */
  readonly isWatched: boolean;
}

/** One fewer than the processors, at least 1. */
export function threadsByMachine({ processors, os, isWatched }: ThreadChoice): number {
  if (os !== "linux" || isWatched) return 1;
  return Math.max(1, Math.min(processors - 1, MOST));
}
