/**
 * Calls that are in an archive, looked for there.
 *
 * @module
 */

import type { StoredCall } from "../../domain/call.ts";
import type { Checkpoint } from "../../domain/checkpoint.ts";
import type { AdminDeps } from "../base/deps.ts";

/** Where a call may be that the database has no more. */
export interface ArchivedSearch {
  readonly found: { readonly call: StoredCall; readonly archive: Checkpoint } | undefined;
  /** Archives that may have it, and whose file is not where it was written. */
  readonly unread: readonly Checkpoint[];
}

/** Looks for a call by its id. */
export async function findArchivedCall(
  { storage, archives }: Pick<AdminDeps, "storage" | "archives">,
  { callId, requestId }: { readonly callId: number; readonly requestId: string },
): Promise<ArchivedSearch> {
  const unread: Checkpoint[] = [];
  for (const archive of await storage.checkpoints.list()) {
    if (callId < archive.firstCallId || callId > archive.lastCallId) continue;
    const result = archives.findCall(archive, callId);
    if (result.kind === "unreadable") unread.push(archive);
    if (result.kind === "found" && result.call.requestId === requestId) {
      return { found: { call: result.call, archive }, unread: [] };
    }
  }
  return { found: undefined, unread };
}
