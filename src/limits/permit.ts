/**
 * An admitted call's share of the limits.
 *
 * @module
 */

/** Held from admission to the end of the call. */
export interface Permit {
  /**
   * Replaces the tokens counted so far by the real ones, in the second in which
   * they were reserved; the last correction wins. May be called after
   * {@linkcode Permit.release}.
   */
  correct(tokens: number): void;
  /** Ends the call's share of concurrency. Safe to call more than once. */
  release(): void;
  /** Takes back that it was counted as a request, which it may be again; its place stays. */
  uncount(): void;
  /** Takes everything back, as if it had never been given: the call or attempt was not made after all. */
  withdraw(): void;
}

/** What a call gets that no limit applies to. */
export const UNLIMITED_PERMIT: Permit = Object.freeze({
  correct() {},
  release() {},
  uncount() {},
  withdraw() {},
});
