/**
 * What there is to archive, and what is not to be.
 *
 * @module
 */

import type { ArchiveOutlook } from "../../admin/base/archive_report.ts";
import { MAINTENANCE } from "../database/maintenance.ts";

/** Looks at the rows of a time before `beforeMs`. Blocks this thread. */
export function lookBefore(
  { database, beforeMs }: { readonly database: string; readonly beforeMs: number },
): ArchiveOutlook {
  using source = MAINTENANCE.archives.source(database);
  const range = source.rangeBefore(beforeMs);
  return {
    plan: range === undefined ? undefined : {
      ledgerRows: range.toSeq - range.fromSeq + 1,
      firstAt: range.firstAt,
      lastAt: range.lastAt,
      ...source.countsOf(range),
    },
    leavings: {
      openCalls: source.openCallsBefore(beforeMs),
      rowsOutOfOrder: source.rowsOutOfOrder(range, beforeMs),
    },
  };
}
