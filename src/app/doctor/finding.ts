/**
 * What `doctor` has to say about one thing.
 *
 * @module
 */

import type { Finding } from "../../admin/base/doctor_finding.ts";

export type { Finding };

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
