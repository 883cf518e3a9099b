/**
 * What an attempt tells of its route, and counts of these over the last five minutes.
 *
 * @module
 */

import { ProjectFailures } from "./project_trouble.ts";
import type { AttemptFailure, OperatorFault } from "../domain/upstream_error.ts";

/** Length of a bucket and how many there are: five minutes in steps of 30 s. */
const BUCKET_MS = 30_000;
const BUCKETS = 10;

/**
 * The prior: as if this many attempts had been seen, this share of them good. A
 * new route so stands above any whose failures are noticeable and below one that
 * has proven itself; a single success or failure moves it little.
 */
const PRIOR_ATTEMPTS = 20;
const PRIOR_SUCCESS_RATE = 0.98;

// What a bucket counts: one row of BUCKETS numbers each.
const SUCCESSES = 0;
const FAILURES = 1;
const FIRST_BYTE_COUNT = 2;
const FIRST_BYTE_SUM = 3;
const TOTAL_COUNT = 4;
const TOTAL_SUM = 5;
const RATE_COUNT = 6;
const RATE_SUM = 7;
const ROWS = 8;

/** Of fewer tokens, or in less time, the first byte and the last say nothing of how fast it writes. */
const LEAST_TOKENS = 20;
const LEAST_MS = 20;

/** A rolling window; what it answers is read from running sums. */
export class AttemptWindow {
  static readonly UNKNOWN_SUCCESS_RATE = PRIOR_SUCCESS_RATE;

  readonly #buckets = new Float64Array(ROWS * BUCKETS);
  readonly #sums = new Float64Array(ROWS);
  /** Made with the first failure. */
  #failures: ProjectFailures | undefined;
  #newest = -1;

  addSuccess(now: number, latency: {
    readonly startedAt?: number;
    readonly firstByteMs?: number | undefined;
    readonly totalMs?: number | undefined;
    readonly outputTokens?: number | undefined;
  }): void {
    this.#advance(now);
    this.#add(SUCCESSES, 1);
    const { startedAt, firstByteMs, outputTokens } = latency;
    if (firstByteMs !== undefined) {
      this.#add(FIRST_BYTE_COUNT, 1);
      this.#add(FIRST_BYTE_SUM, firstByteMs);
      if (outputTokens !== undefined && outputTokens >= LEAST_TOKENS && startedAt !== undefined) {
        const milliseconds = now - startedAt - firstByteMs;
        if (milliseconds >= LEAST_MS) {
          // A mean of rates, not of their sums: a long answer counts once.
          this.#add(RATE_COUNT, 1);
          this.#add(RATE_SUM, outputTokens * 1_000 / milliseconds);
        }
      }
    }
    if (latency.totalMs !== undefined) {
      this.#add(TOTAL_COUNT, 1);
      this.#add(TOTAL_SUM, latency.totalMs);
    }
  }

  addFailure(now: number, projectId?: string): void {
    this.#advance(now);
    this.#add(FAILURES, 1);
    this.#failures ??= new ProjectFailures(BUCKETS);
    this.#failures.add(projectId, this.#newest);
  }

  /**
   * 0..1, with the prior.
   *
   * @param projectId Whose view it is: the failures of that one other project which has met most of
   * them do not count, as it may have brought them about itself. `undefined` counts all.
   */
  successRate(now: number, projectId?: string): number {
    this.#advance(now);
    const good = this.#sums[SUCCESSES]!;
    const failed = this.#sums[FAILURES]!;
    const ofAnother = failed === 0 || projectId === undefined
      ? 0
      : this.#failures?.mostOfAnother(projectId, this.#newest) ?? 0;
    const all = good + failed - ofAnother;
    // Exactly what an unknown route has: the two must tie.
    if (all === 0) return PRIOR_SUCCESS_RATE;
    return (good + PRIOR_ATTEMPTS * PRIOR_SUCCESS_RATE) / (all + PRIOR_ATTEMPTS);
  }

  hasFailures(now: number): boolean {
    this.#advance(now);
    return this.#sums[FAILURES]! > 0;
  }

  /** Mean milliseconds of successes; `undefined` without samples. */
  latencyMs(now: number, stream: boolean): number | undefined {
    this.#advance(now);
    const count = this.#sums[stream ? FIRST_BYTE_COUNT : TOTAL_COUNT]!;
    if (count === 0) return undefined;
    return this.#sums[stream ? FIRST_BYTE_SUM : TOTAL_SUM]! / count;
  }

  /** Mean tokens per second of streams; `undefined` without samples. */
  tokensPerSecond(now: number): number | undefined {
    this.#advance(now);
    const count = this.#sums[RATE_COUNT]!;
    return count === 0 ? undefined : this.#sums[RATE_SUM]! / count;
  }

  #add(row: number, amount: number): void {
    this.#buckets[row * BUCKETS + this.#newest % BUCKETS]! += amount;
    this.#sums[row]! += amount;
  }

  /** Empties the buckets that time has passed since the last look. */
  #advance(now: number): void {
    const bucket = Math.floor(now / BUCKET_MS);
    if (bucket <= this.#newest) return;
    const passed = Math.min(bucket - this.#newest, BUCKETS);
    this.#newest = bucket;
    for (let row = 0; row < ROWS; row++) {
      const start = row * BUCKETS;
      for (let step = 0; step < passed; step++) {
        this.#buckets[start + (bucket - step) % BUCKETS] = 0;
      }
      // Re-added rather than subtracted: fractions of milliseconds must not drift.
      let sum = 0;
      for (let index = start; index < start + BUCKETS; index++) sum += this.#buckets[index]!;
      this.#sums[row] = sum;
    }
  }
}

/** One attempt's outcome. Attempts are sampled, not calls: a retried call leaves several. */
export type AttemptSample =
  & {
    /** Monotonic milliseconds at which the attempt began. */
    readonly startedAt: number;
    /** Whose request it was: what befalls one project alone may be of its own making. */
    readonly projectId?: string | undefined;
  }
  & (
    | {
      readonly outcome: "success";
      /** To the first byte; for streams. */
      readonly firstByteMs?: number | undefined;
      /** What it wrote since then, as its upstream counts; for streams. */
      readonly outputTokens?: number | undefined;
      /** To the end; for calls that are not streamed, whose length a client waits for. */
      readonly totalMs?: number | undefined;
    }
    | {
      readonly outcome: AttemptFailure;
      /** The upstream's; a doubtful refusal is the same as another of its status. */
      readonly status?: number | undefined;
      /** What the upstream refuses of the operator's; for `operator`. */
      readonly fault?: OperatorFault | undefined;
      /** What a `busy` upstream asked for. */
      readonly retryAfterSeconds?: number | undefined;
      /** Whether that is when a day's quota comes back. */
      readonly isSpent?: boolean | undefined;
    }
  );

/** Outcomes that tell nothing of a route. */
export const SAYS_NOTHING: ReadonlySet<AttemptSample["outcome"]> = new Set([
  "caller",
  "oversized",
  "starved",
  "aborted",
]);
