/**
 * Databases that a run keeps for the next one, in the system's folder for temporary files.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

/**
 * Removes what earlier schemas and months had, and what runs have left that were broken off.
 *
 * @param kind How all names of its kind begin.
 * @param current How those begin that are of use.
 */
export async function removeKept(kind: string, current: string): Promise<void> {
  for await (const { name } of Deno.readDir(tmpdir())) {
    if (!name.startsWith(kind) || (name.startsWith(current) && name.endsWith(".db"))) continue;
    await Deno.remove(`${tmpdir()}/${name}`);
  }
}

/**
 * Puts a kept database into a new data dir, made first where no run has left it.
 *
 * @param name Of the file. It begins with `current`, which says what it is of use for, and this
 *     with `kind`.
 * @param make Makes a data dir with it.
 */
export async function placeKept(
  dataDir: string,
  { kind, current, name, make }: {
    readonly kind: string;
    readonly current: string;
    readonly name: string;
    readonly make: (dataDir: string) => Promise<void>;
  },
): Promise<void> {
  const kept = `${tmpdir()}/${name}`;
  if (!existsSync(kept)) {
    await removeKept(kind, current);
    const folder = await Deno.makeTempDir({ dir: dataDir.slice(0, dataDir.lastIndexOf("/")) });
    await make(`${folder}/data`);
    const part = `${kept}.${Deno.pid}.part`;
    await Deno.copyFile(`${folder}/data/tollgate.db`, part);
    await Deno.rename(part, kept);
    await Deno.remove(folder, { recursive: true });
  }
  await Deno.mkdir(dataDir, { mode: 0o700 });
  await Deno.copyFile(kept, `${dataDir}/tollgate.db`);
}
