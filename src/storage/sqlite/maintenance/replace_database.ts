/**
 * Gives a database the place of another one.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { linkOrCopy } from "../../../files/link_or_copy.ts";
import { syncFile, syncFolder } from "../../../files/place_new_file.ts";
import { StorageOpenError } from "../../ports/storage_open_error.ts";
import { inspectDatabaseFile } from "../database_file.ts";
import { mergeLog } from "./merge_log.ts";

/** Names the old database `kept` beside its own name, and then takes that name in one step. */
export async function replaceDatabase(
  restored: string,
  { path, kept }: { readonly path: string; readonly kept: string | null },
): Promise<void> {
  const folder = dirname(path);
  await syncFile(restored);
  if (kept !== null) {
    await linkOrCopy(path, kept);
    if (existsSync(`${path}-wal`)) await linkOrCopy(`${path}-wal`, `${kept}-wal`);
    if (isInOrder(kept)) mergeLog(kept);
    await syncFolder(folder);
  }
  // Without its log gone, the restored database would be read with it.
  for (const trace of [`${path}-wal`, `${path}-shm`]) {
    if (existsSync(trace)) await Deno.remove(trace);
  }
  await Deno.rename(restored, path);
  await syncFolder(folder);
}

/** Of a database that is damaged everything is kept as it is, its log too. */
function isInOrder(path: string): boolean {
  try {
    inspectDatabaseFile(path, { pages: "quick" });
    return true;
  } catch (error) {
    if (!(error instanceof StorageOpenError)) throw error;
    return false;
  }
}
