/**
 * Archives of either kind.
 *
 * @module
 */

import type { KnownArchive } from "../base/archive_report.ts";
import type { AdminDeps } from "../base/deps.ts";

/** All that a database has noted, in their order. */
export async function knownArchives(
  { storage, archives }: Pick<AdminDeps, "storage" | "archives">,
): Promise<readonly KnownArchive[]> {
  return [...await storage.checkpoints.list(), ...await archives.list()];
}
