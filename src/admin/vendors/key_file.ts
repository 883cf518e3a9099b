/**
 * A vendor's key that was typed in: kept in a file of the data dir that nobody else reads.
 *
 * @module
 */

import { join, resolve } from "node:path";
import { ifThere } from "../../files/if_there.ts";
import { syncFile, syncFolder } from "../../files/place_new_file.ts";

/** Where it is, as a provider refers to it. */
export function keyReference(dataDir: string, provider: string): string {
  return `file:${pathOf(dataDir, provider)}`;
}

/**
 * Writes it.
 *
 * @returns How to have it as it was before.
 */
export async function writeKey(
  { dataDir, provider, key }: {
    readonly dataDir: string;
    readonly provider: string;
    readonly key: string;
  },
): Promise<() => Promise<void>> {
  const path = pathOf(dataDir, provider);
  const folder = join(path, "..");
  const isFirst = await ifThere(Deno.stat(folder)) === undefined;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const before = await ifThere(Deno.readTextFile(path));
  await put(folder, path, `${key}\n`);
  return async () => {
    if (before !== undefined) return await put(folder, path, before);
    await ifThere(Deno.remove(path));
    if (isFirst) await removeIfEmpty(folder);
  };
}

/** Another key may have come to the folder meanwhile. */
async function removeIfEmpty(folder: string): Promise<void> {
  for await (const _file of Deno.readDir(folder)) return;
  await ifThere(Deno.remove(folder));
}

async function put(folder: string, path: string, text: string): Promise<void> {
  const part = `${path}.part`;
  await ifThere(Deno.remove(part));
  await Deno.writeTextFile(part, text, { mode: 0o600, createNew: true });
  await syncFile(part);
  await Deno.rename(part, path);
  await syncFolder(folder);
}

/** A provider's id is a file's name. */
function pathOf(dataDir: string, provider: string): string {
  return join(resolve(dataDir), "keys", `${provider}.key`);
}
