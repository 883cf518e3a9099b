/**
 * What the load generator is told and what it tells back, as JSON.
 *
 * @module
 */

/** One load: so many connections, each sending its next request when it has its answer. */
export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  /** Whole requests as text, sent in turn. */
  readonly requests: readonly string[];
  /** No request is sent after so many seconds; those under way are waited for. */
  readonly seconds: number;
  /** No request is sent after so many. Default: no limit but the time. */
  readonly maxRequests?: number;
  /**
   * Requests come at this rate, whether or not earlier ones are answered; each waits for a free
   * connection, which counts. Default: as fast as the answers come.
   */
  readonly perSecond?: number;
  /** Whether the answers carry the fake upstream's stamps, whose age is to be measured. */
  readonly readStamps?: boolean;
}

/** Percentiles over exact samples, milliseconds. */
export interface Spread {
  readonly samples: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

/** What came of a load. */
export interface LoadResult {
  /** Answers with status 200, complete; a stream's up to its end. */
  readonly answered: number;
  /** What else came, by status or fault, and how often. Empty when all went well. */
  readonly failed: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Share of that time in which the generator itself used a CPU. */
  readonly generatorShare: number;
  readonly latency: Spread;
  /** Age of the stamps when they were read. */
  readonly stamps: Spread | undefined;
}

/** A stamp in a paced stream: microseconds of the machine's clock when the chunk was sent. */
export const STAMP = /@(\d{15})@/g;

/** Writes a {@linkcode STAMP}. */
export function stampOf(monotonicNs: number): string {
  return `@${String(Math.floor(monotonicNs / 1000)).padStart(15, "0")}@`;
}
