/**
 * Which program the unit runs: this one where it lies, or a copy of it.
 *
 * @module
 */

import { dirname } from "node:path";
import { CommandFailure } from "../base/failure.ts";
import { isThere } from "../base/is_there.ts";
import { checkOpenToAll } from "./check_paths.ts";
import { replaceFile } from "./unit_file.ts";
import { COPY_PATH, PLAIN_PATH } from "./unit_text.ts";

/**
 * This program's own path; `undefined` when it runs from source.
 *
 * @throws {CommandFailure} When its file has been replaced since it was started.
 */
export function ownExecutable(): string | undefined {
  if (!Deno.build.standalone) return undefined;
  try {
    return Deno.realPathSync(Deno.execPath());
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new CommandFailure(
      "Cannot tell where this program lies: its file was replaced just now. Run the command again",
    );
  }
}

/**
 * The path, where a service can run it.
 *
 * @throws {CommandFailure} Where it cannot.
 */
export function checkExecutable(path: string): string {
  const remedy = `Add --copy to run a copy, ${COPY_PATH}`;
  if (!PLAIN_PATH.test(path)) {
    throw new CommandFailure(
      `Cannot run ${path} from a unit: its path has unusual characters. ${remedy}`,
    );
  }
  checkOpenToAll(path, { what: "the executable", mode: "run", remedy });
  return path;
}

/** Copies this program to its place below `root`; nothing when it is there already. */
export function copyExecutable(own: string, root: string): void {
  const path = `${root}${COPY_PATH}`;
  if (own === path) return;
  // The tree of an image need not have the folder yet.
  Deno.mkdirSync(dirname(path), { recursive: true });
  // A running server goes on with the old file, which has no name any more.
  replaceFile(path, { mode: 0o755, write: (part) => Deno.copyFileSync(own, part) });
}

/** Removes the copy below `root`; says whether it was there. A process that runs it goes on. */
export function removeCopy(root: string): boolean {
  const path = `${root}${COPY_PATH}`;
  if (!isThere(path)) return false;
  Deno.removeSync(path);
  return true;
}
