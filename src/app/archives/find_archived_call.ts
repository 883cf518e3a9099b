/**
 * A call in an archive, of whichever kind that is.
 *
 * @module
 */

import type { ArchivedCall } from "../../admin/base/archive_report.ts";
import type { StoredCall } from "../../domain/call.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";

/** Looks for a call in a file, which may be gone, or none that this program can read. */
export async function findArchivedCall(file: string, callId: number): Promise<ArchivedCall> {
  const { MAINTENANCE: { archives } } = await import("../database/maintenance.ts");
  const look = (): StoredCall | undefined => {
    if (archives.isOfRuns(file)) {
      using archive = archives.openRuns(file);
      return archive.call(callId);
    }
    using archive = archives.open(file);
    const call = archive.calls(callId - 1, 1)[0];
    return call?.callId === callId ? call : undefined;
  };
  try {
    const call = look();
    return call === undefined ? { kind: "not_in_it" } : { kind: "found", call };
  } catch (error) {
    if (!(error instanceof StorageOpenError)) throw error;
    return { kind: "unreadable" };
  }
}
