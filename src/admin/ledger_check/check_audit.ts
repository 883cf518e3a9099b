/**
 * The part of the check that looks through the audit log: for altered rows, and
 * for rows that are gone.
 *
 * @module
 */

import type { AuditLink } from "../../storage/ports/audit.ts";
import type { AuditStore } from "../../storage/ports/storage.ts";
import type { Differences } from "../base/findings.ts";

/** How to go through the log. */
export interface AuditPassOptions {
  readonly differences: Differences;
  /** Rows read in one go. */
  readonly slice: number;
  /** Waits between two slices. */
  readonly pause: () => Promise<void>;
}

/** Checks every row; gives how many there are. */
export async function checkAudit(
  audit: AuditStore,
  { differences, slice, pause }: AuditPassOptions,
): Promise<number> {
  let count = 0;
  let after: AuditLink | undefined;
  do {
    const { rows, faults, next } = await audit.check(after, slice);
    count += rows;
    for (const { seq, detail } of faults) {
      differences.add({
        table: "audit",
        id: String(seq),
        column: null,
        expected: null,
        found: null,
        detail,
      });
    }
    after = next;
    await pause();
  } while (after !== undefined);
  return count;
}
