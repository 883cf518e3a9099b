/**
 * How many of what was measured were at most so much.
 *
 * @module
 */

/** Counts by bucket, and their sum. */
export class Histogram {
  /** Upper bounds, rising; a last bucket takes what is more than all of them. */
  readonly bounds: Float64Array;
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = Float64Array.from(bounds);
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** Takes one value in. */
  observe(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
    this.counts[bucket]!++;
    this.sum += value;
  }
}

/**
 * Seconds of a call, as the conventions for `gen_ai.client.operation.duration` advise
 * (OpenTelemetry semantic conventions, GenAI metrics).
 */
export const CALL_SECONDS = [
  0.01,
  0.02,
  0.04,
  0.08,
  0.16,
  0.32,
  0.64,
  1.28,
  2.56,
  5.12,
  10.24,
  20.48,
  40.96,
  81.92,
] as const;

/** Seconds to the first token, as the conventions for `gen_ai.server.time_to_first_token` advise. */
export const FIRST_TOKEN_SECONDS = [
  0.001,
  0.005,
  0.01,
  0.02,
  0.04,
  0.06,
  0.08,
  0.1,
  0.25,
  0.5,
  0.75,
  1,
  2.5,
  5,
  7.5,
  10,
] as const;

/** Seconds of what should take milliseconds: a synced write, a turn of the event loop. */
export const SHORT_SECONDS = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
] as const;
