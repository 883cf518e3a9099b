/**
 * How fast the last calls were, and how many failed: what is asked for and what is answered.
 *
 * @module
 */

/** What calls are told apart by. */
export type LatencyGroup = "project" | "key" | "endpoint" | "model" | "provider" | "route";

/** Which calls, and into how many parts of the time they are divided. */
export interface LatencyQuery {
  readonly projectId?: string | undefined;
  readonly by: LatencyGroup;
  /** Calls that were opened since then, milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Parts of equal length. */
  readonly parts: number;
  /** The most rows that are looked at, the newest first. */
  readonly mostRows: number;
  /** The most lines, those with the most calls. */
  readonly mostLines: number;
}

/** Figures of some closed calls. Times are of completed calls without films, milliseconds. */
export interface LatencyFigures {
  readonly calls: number;
  /** Of them those that no upstream has served, or the gateway has ended. */
  readonly failed: number;
  /** From arrival to end; `undefined` where none has completed. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  /** From arrival to the upstream's first byte. */
  readonly firstByteP50Ms: number | undefined;
  readonly firstByteP95Ms: number | undefined;
}

/** What came of it. */
export interface LatencyReport {
  readonly all: LatencyFigures;
  readonly lines: readonly (LatencyFigures & { readonly name: string })[];
  /** In the order of time, each with its beginning. */
  readonly parts: readonly (LatencyFigures & { readonly fromMs: number })[];
  /** Calls before this are not in it, as there were too many; `undefined` where all are. */
  readonly cutAtMs: number | undefined;
}
