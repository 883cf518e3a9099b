/**
 * What `doctor` has to say about one thing.
 *
 * @module
 */

/**
 * - `ok`: as it should be.
 * - `warning`: the gateway works; somebody should look at it.
 * - `problem`: something does not work, or will not at the next start.
 */
export type FindingStatus = "ok" | "warning" | "problem";

/** One line of the diagnosis. */
export interface Finding {
  /** What was looked at, such as `database`. */
  readonly check: string;
  readonly status: FindingStatus;
  readonly detail: string;
  /** What to do; `null` when nothing is. */
  readonly remedy: string | null;
}

/** Nothing to do. */
export function ok(check: string, detail: string): Finding {
  return { check, status: "ok", detail, remedy: null };
}

/** It works, but. */
export function warning(check: string, detail: string, remedy: string): Finding {
  return { check, status: "warning", detail, remedy };
}

/** It is broken. */
export function problem(check: string, detail: string, remedy: string): Finding {
  return { check, status: "problem", detail, remedy };
}

/** Several things of a kind in one line: the first few by name, the others counted. */
export function listed(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return names.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
