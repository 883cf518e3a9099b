/**
 * Whether paths can be used: by the server's own user, whom nobody has named yet, and in the tree of
 * another machine without leaving it.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { CommandFailure } from "../base/failure.ts";
import { isThere } from "../base/is_there.ts";
import { COPY_PATH, UNIT_PATH } from "./unit_text.ts";

/** What is done with the file; `what` names it in messages. */
export interface FileUse {
  readonly what: string;
  readonly mode: "read" | "run";
  /** What to do where the service cannot use it, in the imperative. */
  readonly remedy: string;
  /** The tree that the path is in; default: this machine's own. */
  readonly root?: string;
}

/**
 * Looks at a file's place and at the rights of all users.
 *
 * @throws {CommandFailure} When the service could not use it.
 */
export function checkOpenToAll(path: string, { what, mode, remedy, root = "" }: FileUse): void {
  const hidden = hiddenPlace(path);
  if (hidden !== undefined) {
    throw new CommandFailure(
      `Cannot use ${what} ${path}: a service sees nothing below ${hidden}. ${remedy}`,
    );
  }
  const needed = mode === "run" ? 0o5 : 0o4;
  const isClosed = !hasRights(root + path, needed) ||
    foldersAbove(path).some((folder) => !hasRights(root + folder, 0o1));
  if (isClosed) {
    throw new CommandFailure(
      `Cannot use ${what} ${path}: the service's own user may not ${mode} it. ${remedy}`,
    );
  }
}

/** @throws {CommandFailure} When there is no such file. */
function hasRights(path: string, needed: number): boolean {
  try {
    const { mode } = Deno.statSync(path);
    return mode === null || (mode & needed) === needed;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new CommandFailure(`There is no file ${path}`, { cause: error });
  }
}

/** The folders that a path is in, from `/` down. */
export function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [...foldersAbove(folder), folder];
}

/** Whether a path is a folder, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

const HIDDEN = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"];

/** The hidden folder that an absolute path is in, if it is in one. */
export function hiddenPlace(path: string): string | undefined {
  return HIDDEN.find((folder) => isWithin(path, folder));
}

/**
 * Looks at every folder on the way to what install and uninstall write.
 *
 * @throws {CommandFailure} Where a link leads out of the tree, which may be this machine's own
 * unit, or where root would write what another user can exchange meanwhile.
 */
export function checkTree(root: string, uid = Deno.uid()): void {
  if (root === "" || !isThere(root)) return;
  const real = Deno.realPathSync(root);
  for (const path of [UNIT_PATH, COPY_PATH]) {
    for (const folder of foldersAbove(path)) checkFolder(join(root, folder), { root, real, uid });
  }
}

function checkFolder(
  folder: string,
  { root, real, uid }: {
    readonly root: string;
    readonly real: string;
    readonly uid: number | null;
  },
): void {
  if (!isThere(folder)) return;
  const place = realPath(folder);
  if (place !== real && !place?.startsWith(`${real}/`)) {
    throw new CommandFailure(
      `Cannot use --root ${root}: ${folder} is a link that leads out of it. Install from within, such as with chroot`,
    );
  }
  const owner = Deno.statSync(folder).uid ?? 0;
  if (uid !== 0 || owner === 0) return;
  throw new CommandFailure(
    `Cannot use --root ${root}: ${folder} belongs to the user with id ${owner}, and root would follow that user's links. Run this as that user: sudo -u '#${owner}' tollgate …`,
  );
}

/** `undefined` for a link to nothing, which a write would follow. */
function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
