/**
 * Where archives go, and what processes that died have left there.
 *
 * @module
 */

import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";

/** A folder gets a file of this name. */
export function fileAt(
  place: string,
  { isFolder, name }: { readonly isFolder: boolean; readonly name: string },
): string {
  const path = resolve(place);
  if (!isFolder && !(existsSync(path) && statSync(path).isDirectory())) return path;
  return resolve(path, name);
}

/**
 * Such as `tollgate-calls-to-2026-08.db`, of all before 2026-09-01; with a number
 * `tollgate-calls-3-to-2026-08.db`.
 */
export function archiveName(beforeMs: number, number?: number): string {
  const month = new Date(beforeMs - 1).toISOString().slice(0, 7);
  return `tollgate-calls${number === undefined ? "" : `-${number}`}-to-${month}.db`;
}

/** Removes what processes have left that died while they wrote this file: one at a time writes it. */
export async function removeParts(file: string): Promise<void> {
  const prefix = `${basename(file)}.`;
  for await (const { name } of Deno.readDir(dirname(file))) {
    const isOurs = name.startsWith(prefix) && /^[a-z2-7]{8}\.part(-\w+)?$/.test(
      name.slice(prefix.length),
    );
    if (isOurs) await Deno.remove(`${dirname(file)}/${name}`);
  }
}
