/**
 * Where archives go, and what processes that died have left there.
 *
 * @module
 */

import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ifThere } from "../../files/if_there.ts";

/** A folder gets a file of this name; what ends with a slash is one, or nothing. */
export function fileAt(
  place: string,
  { isFolder, name }: { readonly isFolder: boolean; readonly name: string },
): string {
  const path = resolve(place);
  const isOne = isFolder || place.endsWith("/") ||
    existsSync(path) && statSync(path).isDirectory();
  if (!isOne) return path;
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

/** Behind the name of a file, until it is whole. */
const PART = /^\.[a-z2-7]{8}\.part(-\w+)?$/;
/** Behind a database's own name: nothing, or what belongs to it. */
const BESIDE = /^(-\w+)?$/;
/** A name that {@linkcode archiveName} gives with a number, and what is behind it. */
const NUMBERED = /^tollgate-calls-\d+-to-\d{4}-\d{2}\.db(.*)$/;

/** Removes what processes have left that died while they wrote this file: one at a time writes it. */
export async function removeParts(file: string): Promise<void> {
  const name = basename(file);
  await removeFrom(
    dirname(file),
    (found) => found.startsWith(name) && PART.test(found.slice(name.length)),
  );
}

/** Removes what was written of a file until it was whole, with what SQLite has put beside it. */
export async function removePart(part: string): Promise<void> {
  const name = basename(part);
  await removeFrom(
    dirname(part),
    (found) => found.startsWith(name) && BESIDE.test(found.slice(name.length)),
  );
}

/**
 * Removes what processes have left in a folder that died while they wrote archives of sealed runs, whatever
 * their numbers. Of a database one process at a time writes one, and a folder is of one database: nobody
 * writes what is removed, or has lost his place and fails.
 */
export async function removeLeavings(folder: string): Promise<void> {
  await removeFrom(folder, (found) => PART.test(NUMBERED.exec(found)?.[1] ?? ""));
}

async function removeFrom(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  const entries = await ifThere(Array.fromAsync(Deno.readDir(folder))) ?? [];
  for (const { name } of entries) {
    if (isLeft(name)) await ifThere(Deno.remove(`${folder}/${name}`));
  }
}
