/**
 * Long work as whoever waits for it follows it: how far it is, and that it is wanted no more.
 *
 * @module
 */

/** What long work is at, and how people are told so. */
export const WORK_STEPS = {
  moving: "Moving rows",
  copying: "Copying ledger rows and calls",
  checking: "Adding everything up again",
  comparing: "Comparing the archive with the database",
  dropping: "Dropping archived rows from the database",
  restoring: "Putting archived rows back into the database",
  ledger: "Reading ledger rows",
  calls: "Repricing calls",
  checksums: "Comparing checksums",
  audit: "Reading the audit log",
} as const;

/** One of {@linkcode WORK_STEPS}. */
export type WorkStep = keyof typeof WORK_STEPS;

/** How far long work is. */
export interface WorkProgress {
  readonly step: WorkStep;
  /** Rows done. */
  readonly done: number;
  /** Of how many; `undefined` where nobody knows. */
  readonly total: number | undefined;
}

/** Whoever follows long work. */
export interface WorkWatcher {
  /** Told again and again. */
  onProgress(progress: WorkProgress): void;
  /** Aborted when the work is wanted no more: it then fails soon, where it can still be broken off. */
  readonly signal: AbortSignal;
}

/** In words, such as `Reading ledger rows: 1200 of 4000 rows`. */
export function progressWords({ step, done, total }: {
  readonly step: WorkStep;
  readonly done: number;
  readonly total?: number | null | undefined;
}): string {
  const far = typeof total === "number"
    ? `: ${done} of ${total} rows`
    : done === 0
    ? ""
    : `: ${done} rows`;
  return WORK_STEPS[step] + far;
}
