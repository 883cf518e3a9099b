/**
 * Adds the books up again where they were moved to.
 *
 * @module
 */

import type { LedgerFindings } from "../../admin/base/findings.ts";
import type { WorkWatcher } from "../../admin/base/work_progress.ts";
import { checkLedger } from "../../admin/ledger_check/check_ledger.ts";
import type { ReadOnlyStorage } from "../../storage/ports/maintenance.ts";

/**
 * Checks the books that nobody writes to, and closes what they were opened for.
 *
 * @param options `isDeep`: whether rows are read that a seal stands for.
 * @throws What the watcher's signal was aborted with, between two slices.
 */
export async function checkMoved(
  books: ReadOnlyStorage,
  { onProgress, signal }: WorkWatcher,
  { isDeep = false }: { readonly isDeep?: boolean } = {},
): Promise<LedgerFindings> {
  try {
    return await checkLedger(books, undefined, {
      ...{ onProgress, isDeep },
      pause() {
        signal.throwIfAborted();
        return Promise.resolve();
      },
    });
  } finally {
    await books.close();
  }
}
