/**
 * Folders that the unit makes the server's own, for backups and archives.
 *
 * @module
 */

import { dirname, isAbsolute, normalize } from "node:path";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { SERVICE_DATA_DIR } from "../base/find_server.ts";
import { foldersAbove, hiddenPlace, isWithin } from "./check_paths.ts";

/** Paths that the unit can hold in double quotes, as they are. */
const QUOTABLE_PATH = /^\/[\w ./@+-]*$/;

/** Trees of the system, and what a boot empties. */
const SYSTEM = ["/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin"]
  .concat("/sys", "/usr");

/** Folders that belong to everybody's use, also while they are empty. */
const SHARED = ["/", "/media", "/mnt", "/opt", "/srv", "/var", "/var/backups", "/var/lib"];

/** What the server writes anyhow, and lays links in if it is not itself any more. */
const STATE = [SERVICE_DATA_DIR, "/var/lib/private"];

/** What may lie in the folder already: what tollgate puts there, and what a disk begins with. */
const OUR_FILE = /^(tollgate-.*|lost\+found)$/;

/**
 * The paths as they stand in the unit. Root gives each folder to the server's user at every
 * start: so it is a folder for nothing else, in a place where only root lays links.
 *
 * @throws {CommandFailure} For a path that cannot be such a folder.
 */
export function checkBackupFolders(
  texts: readonly string[],
  { root = "" }: { readonly root?: string },
): readonly string[] {
  const folders = texts.map(plainFolder);
  for (const [index, folder] of folders.entries()) {
    const other = folders.find((one, at) => at !== index && isWithin(folder, one));
    if (other === folder) throw wrongUsage(folder, "it is given twice");
    if (other !== undefined) throw wrongUsage(folder, `it is in ${other}, which is given too`);
    for (const above of foldersAbove(folder)) checkAbove(folder, { above, root });
    checkFolder(folder, root);
  }
  return folders;
}

function plainFolder(text: string): string {
  if (!isAbsolute(text)) throw wrongUsage(text, "name it with its whole path, from / on");
  const folder = normalize(text).replace(/(?<=.)\/$/, "");
  if (!QUOTABLE_PATH.test(folder)) {
    throw wrongUsage(folder, "its path may have letters, digits, spaces and . _ @ + - alone");
  }
  const hidden = hiddenPlace(folder);
  if (hidden !== undefined) throw wrongUsage(folder, `a service sees nothing below ${hidden}`);
  if (STATE.some((tree) => isWithin(folder, tree))) {
    throw wrongUsage(folder, "the server writes there without it");
  }
  if (SHARED.includes(folder) || SYSTEM.some((tree) => isWithin(folder, tree))) {
    throw wrongUsage(folder, "it is the system's, and would be the server's alone. Name another");
  }
  return folder;
}

/** Whoever may write above could lay a link, and root would give away what it leads to. */
function checkAbove(
  folder: string,
  { above, root }: { readonly above: string; readonly root: string },
): void {
  const found = lookAt(folder, root + above);
  if (found === undefined) return;
  refuseOther(folder, above, found);
  const mode = found.mode ?? 0o755;
  // The tree of an image need not be root's yet: what counts is whose the rest of it is.
  if (found.uid !== Deno.lstatSync(`${root}/`).uid || (mode & 0o022) !== 0) {
    throw refused(folder, `others than root may write in ${above}. Name a folder elsewhere`);
  }
  if ((mode & 0o001) === 0) {
    throw refused(folder, `the service's own user may not enter ${above}. Run chmod o+x ${above}`);
  }
}

function checkFolder(folder: string, root: string): void {
  const found = lookAt(folder, root + folder);
  if (found === undefined) return;
  refuseOther(folder, folder, found);
  const foreign = namesIn(folder, root).find((name) => !OUR_FILE.test(name));
  if (foreign === undefined) return;
  throw refused(
    folder,
    `it holds ${foreign} too, and would be the server's alone. Name one such as ${folder}/tollgate`,
  );
}

function refuseOther(folder: string, path: string, found: Deno.FileInfo): void {
  if (found.isSymlink) throw refused(folder, `${path} is a link. Name the folder it leads to`);
  if (!found.isDirectory) throw refused(folder, `${path} is no folder`);
}

function namesIn(folder: string, root: string): string[] {
  try {
    return [...Deno.readDirSync(root + folder)].map(({ name }) => name);
  } catch (error) {
    // Somebody who only prints the unit: the server's own folder is closed to them.
    if (error instanceof Deno.errors.PermissionDenied) return [];
    throw error;
  }
}

function lookAt(folder: string, path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    throw refused(folder, `the service's own user may not enter ${dirname(path)}`);
  }
}

function wrongUsage(folder: string, why: string): CommandFailure {
  return new CommandFailure(`Cannot use --backup-dir ${folder}: ${why}`, { exitCode: EXIT_USAGE });
}

function refused(folder: string, why: string): CommandFailure {
  return new CommandFailure(`Cannot use --backup-dir ${folder}: ${why}`);
}
