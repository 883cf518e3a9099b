/**
 * A copy of a database file in a folder of its own, to be worked on before it is
 * used, and gone if it is not.
 *
 * @module
 */

import { findForeignOwner } from "../../storage/ownership/data_dir_owner.ts";
import { DATABASE_FILES } from "../database/driver.ts";
import { MAINTENANCE } from "../database/maintenance.ts";

/** The copy. `await using` removes whatever of it is left. */
export interface WorkingCopy extends AsyncDisposable {
  /** The database file. */
  readonly path: string;
  /** Makes it one file and brings its schema to this program's, as a start does. */
  bringUpToDate(): Promise<void>;
}

/** Where copies lie; what begins like this was left by a process that died. */
export const WORK_PREFIX = ".tollgate-work-";

/**
 * Copies `file` with what its log has, as it is at one moment whoever writes it
 * meanwhile, into a new folder in `beside` or wherever it may.
 *
 * @throws {Error} The system's, such as for a disk that is full.
 */
export async function copyForWork(
  file: string,
  { beside }: { readonly beside: string },
): Promise<WorkingCopy> {
  const folder = await makeFolder(beside);
  const remove = () => Deno.remove(folder, { recursive: true });
  const path = DATABASE_FILES.fileIn(folder);
  try {
    await MAINTENANCE.copy(file, path);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    path,
    bringUpToDate: () => MAINTENANCE.bringUpToDate(path),
    [Symbol.asyncDispose]: remove,
  };
}

/** Removes copies in `folder` that processes left which died at work. */
export async function removeWork(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory || !name.startsWith(WORK_PREFIX)) continue;
    await Deno.remove(`${folder}/${name}`, { recursive: true });
  }
}

/** A backup may lie on a disk that cannot be written, or where another user could swap the folder. */
async function makeFolder(beside: string): Promise<string> {
  if (findForeignOwner(beside) !== undefined) {
    return await Deno.makeTempDir({ prefix: WORK_PREFIX });
  }
  try {
    return await Deno.makeTempDir({ dir: beside, prefix: WORK_PREFIX });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return await Deno.makeTempDir({ prefix: WORK_PREFIX });
  }
}
