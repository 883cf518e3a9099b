/**
 * Lists the files of the program.
 *
 * @module
 */

import { ROOT } from "./paths.ts";

/** The folders that the program is in, from the project's root. */
export const PROGRAM: readonly string[] = ["src", "render"];

/** Every file of the program's folders, from the project's root, sorted within each. */
export async function listProgram(): Promise<string[]> {
  return (await Promise.all(PROGRAM.map(listFiles))).flat();
}

/** The files under a path, or the path itself where it is a file; sorted. */
export async function listFiles(path: string): Promise<string[]> {
  if ((await Deno.stat(`${ROOT}/${path}`)).isFile) return [path];
  const files: string[] = [];
  for await (const entry of Deno.readDir(`${ROOT}/${path}`)) {
    files.push(...await listFiles(`${path}/${entry.name}`));
  }
  return files.sort();
}
