/**
 * Root in the data dir of another user: it would follow the links that this user
 * has laid there, and leave files there that the user cannot write. Root becomes
 * that user, or leaves the data dir alone.
 *
 * @module
 */

import { StorageOpenError } from "../ports/storage_open_error.ts";

/** Where systemd keeps the data of users that exist while their service runs. Root alone gets in. */
const PRIVATE_STATE = "/var/lib/private/";

/** Why root leaves a data dir alone. */
export interface ForeignDataDir {
  /** Whose it is, after `the data dir ${dataDir}, which `. */
  readonly belongs: string;
  /** What to do instead, in the imperative. */
  readonly remedy: string;
}

/**
 * Does nothing for other users than root, whom the system keeps out, and where there
 * is no data dir yet.
 *
 * @throws {StorageOpenError} When root is about to write in the data dir of another
 * user, or in one that another user's link leads to: says how to become that user.
 */
export function refuseForeignDataDir(dataDir: string, uid = Deno.uid()): void {
  const foreign = findForeignOwner(dataDir, uid);
  if (foreign === undefined) return;
  throw new StorageOpenError(
    `Root does not write in the data dir ${dataDir}, which ${foreign.belongs}: ${foreign.remedy}`,
  );
}

/** Whose data dir it is, where that is not for root to use; `undefined` anywhere else. */
export function findForeignOwner(
  dataDir: string,
  uid = Deno.uid(),
): ForeignDataDir | undefined {
  if (uid !== 0) return undefined;
  const link = lookAt(Deno.lstatSync, dataDir);
  const folder = link?.isSymlink === true ? lookAt(Deno.statSync, dataDir) : link;
  for (const found of [link, folder]) {
    const owner = found?.uid ?? 0;
    if (owner !== 0) return describe(dataDir, { owner, isLink: found?.isSymlink === true });
  }
  return undefined;
}

function lookAt(look: (path: string) => Deno.FileInfo, path: string): Deno.FileInfo | undefined {
  try {
    return look(path);
  } catch (error) {
    // Whoever makes the folder says what is in its way.
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isMissing) return undefined;
    throw error;
  }
}

function describe(
  dataDir: string,
  { owner, isLink }: { readonly owner: number; readonly isLink: boolean },
): ForeignDataDir {
  const what = isLink ? "is a link that belongs" : "belongs";
  const place = isLink ? dataDir : Deno.realPathSync(dataDir);
  const state = place.startsWith(PRIVATE_STATE) ? place.slice(PRIVATE_STATE.length) : undefined;
  return {
    belongs: `${what} to the user with id ${owner}`,
    remedy: state === undefined
      ? `run this as that user: sudo -u '#${owner}' tollgate …`
      : `run this through the server, while that runs, or as its user: systemd-run --pipe --wait -p DynamicUser=yes -p User=${state} -p StateDirectory=${state} tollgate …`,
  };
}
