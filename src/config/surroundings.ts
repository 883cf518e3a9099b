/**
 * What the process finds around itself: the one place that reads the environment.
 *
 * @module
 */

import { dirname } from "node:path";

/** The environment and the machine, as arguments, so that tests decide them. */
export interface Surroundings {
  /** Whether what secrets refer to is read by another process, so that nothing is said of it here. */
  readonly secretsAreElsewhere?: true;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working folder, absolute. */
  readonly cwd: string;
  /** Folder of the executable; `undefined` when running from source. */
  readonly executableFolder: string | undefined;
  /** `undefined` where the system has no user ids. */
  readonly uid: number | undefined;
  readonly isDirectory: (path: string) => boolean;
  /** Whether a file can be made in a folder; false when there is no such folder. */
  readonly isWritable: (folder: string) => boolean;
}

/** The real ones, as they are now. */
export function readSurroundings(): Surroundings {
  return {
    env: Deno.env.toObject(),
    cwd: Deno.cwd(),
    executableFolder: Deno.build.standalone ? folderOf(Deno.execPath()) : undefined,
    uid: Deno.uid() ?? undefined,
    isDirectory,
    isWritable,
  };
}

/**
 * The folder in which a file lies when links are followed. A program that was replaced since it was
 * started has no file any more: then the folder of its name, which is where the new one lies.
 */
export function folderOf(path: string): string {
  return dirname(realPathIfThere(path));
}

function realPathIfThere(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (error) {
    if (error instanceof Error) return false; // missing or not to be looked at: no use to us
    throw error;
  }
}

/** Asks the file system by doing it: mode bits know nothing of read-only mounts and ACLs. */
function isWritable(folder: string): boolean {
  try {
    Deno.removeSync(Deno.makeTempFileSync({ dir: folder, prefix: ".tollgate-" }));
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
