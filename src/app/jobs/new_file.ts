/**
 * Places for new files of an operator's choice: what speaks against one beforehand, and what
 * to do about what the system says of it.
 *
 * @module
 */

import { realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type ErrorName, GatewayError } from "../../errors.ts";
import type { DiskReserve } from "../database/disk_reserve.ts";
import { DATABASE_FILES } from "../database/driver.ts";
import { exists, syncFolder } from "../../files/place_new_file.ts";

/** What is to be written, and beside which database. */
export interface NewFile {
  readonly what: "backup" | "archive";
  readonly dataDir: string;
  /** Where it goes when nobody names a place. */
  readonly ownFolder: string;
  /** Whether one that is there may be the right one already. */
  readonly mayBeThere: boolean;
  readonly reserve: Pick<DiskReserve, "freeBytes">;
  /** What it takes, about. Default: as much as the database, which is a file. */
  readonly bytes?: number;
}

/** Left beside a new file for whoever else writes on its disk, besides what is the ledger's there. */
const SPARED_BYTES = 16 * 1024 ** 2;

/** Makes a private folder in the data dir, if it is not there, and makes that last. */
export async function makeOwnFolder(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await syncFolder(dirname(folder));
}

/**
 * Whoever writes the file would find out the same, after everything is copied.
 *
 * @throws {GatewayError} `conflict`, `storage_full`
 * @throws {Error} The system's, for {@linkcode explainNewFile}.
 */
export async function checkNewFile(
  file: string,
  { what, dataDir, ownFolder, mayBeThere, reserve, bytes }: NewFile,
): Promise<void> {
  const folder = dirname(file);
  const isInDataDir = realpathSync(folder) === realpathSync(dataDir);
  const database = DATABASE_FILES.fileIn(dataDir);
  if (
    isInDataDir && DATABASE_FILES.filesBeside(database).includes(`${dataDir}/${basename(file)}`)
  ) {
    throw new GatewayError(
      "conflict",
      `Cannot write the ${what} ${file}: ${DATABASE_FILES.engine} would take it for a part of the database that it lies beside. Choose another name, or none, for one in ${ownFolder}`,
    );
  }
  const films = `${dataDir}/videos`;
  if (await exists(films) && realpathSync(folder) === realpathSync(films)) {
    throw new GatewayError(
      "conflict",
      `Cannot write the ${what} ${file}: the films lie there, and a start removes what it does not know of them. Choose another folder, or none, for one in ${ownFolder}`,
    );
  }
  const isThere = await exists(file);
  if (isThere && mayBeThere) return;
  if (isThere) throw new Deno.errors.AlreadyExists(file);
  const freeBytes = reserve.freeBytes(folder);
  const neededBytes = (bytes ?? statSync(database).size) + SPARED_BYTES;
  if (freeBytes >= neededBytes) return;
  throw new GatewayError(
    "storage_full",
    `Cannot write the ${what} ${file}: it needs ${neededBytes} bytes with some room to spare, and ${freeBytes} are free beside what is kept for the ledger. Make room, or choose another disk with --to`,
  );
}

/** What the system says about a path, as something to do about it. */
export function explainNewFile(error: unknown, file: string, what: NewFile["what"]): unknown {
  if (error instanceof GatewayError || !(error instanceof Error)) return error;
  const kind = (error as { readonly code?: string }).code ?? error.name;
  const explained = (name: ErrorName, why: string) =>
    new GatewayError(name, `Cannot write the ${what} ${file}: ${why}`, { cause: error });
  switch (kind) {
    case "AlreadyExists":
    case "EEXIST":
      return explained(
        "conflict",
        `there is something of that name already. Choose another name: ${what}s are never written over`,
      );
    case "NotFound":
    case "ENOENT":
    case "NotADirectory":
    case "ENOTDIR":
      return explained("conflict", `there is no folder ${dirname(file)}. Make it first`);
    case "PermissionDenied":
    case "EACCES":
    case "EPERM":
    case "EROFS": {
      const ofService = kind === "EROFS"
        ? "; a service may write those of `service install --backup-dir`"
        : "";
      return explained(
        "conflict",
        `${error.message}. Name a folder that the process with user id ${Deno.uid()} may write, or none, for one in the data dir${ofService}`,
      );
    }
  }
  return /full|ENOSPC|No space left/i.test(error.message)
    ? explained("storage_full", "the disk is full. Make room, or choose another disk with --to")
    : explained("internal_error", error.message);
}
