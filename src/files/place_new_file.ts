/**
 * Gives a finished file its name.
 *
 * @module
 */

import { ifThere } from "./if_there.ts";

/**
 * Gives the file `part` the name `file`, at once and never over another one, and
 * makes that last.
 *
 * @throws {Deno.errors.AlreadyExists} When there is a file of that name.
 */
export async function placeNewFile(part: string, file: string): Promise<void> {
  try {
    // A link is refused where the name is taken; a rename would take it.
    await Deno.link(part, file);
    await Deno.remove(part);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    // A file system without links: here two at the same moment could take the same name.
    if (await exists(file)) throw new Deno.errors.AlreadyExists(`${file} exists already`);
    await Deno.rename(part, file);
  }
  await syncFolder(folderOf(file));
}

/** Makes the names of a folder last. */
export async function syncFolder(path: string): Promise<void> {
  using folder = await Deno.open(path);
  await folder.sync();
}

/** Makes the content of a file last. */
export async function syncFile(path: string): Promise<void> {
  using file = await Deno.open(path);
  await file.sync();
}

/** Makes a file that somebody else has written last, with its name. */
export async function makeLast(file: string): Promise<void> {
  await syncFile(file);
  await syncFolder(folderOf(file));
}

/** Whether there is anything of this name. */
export async function exists(path: string): Promise<boolean> {
  return await ifThere(Deno.lstat(path)) !== undefined;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
