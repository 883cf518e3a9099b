/**
 * Databases that a run keeps for the next one, in the system's folder for temporary files.
 *
 * @module
 */

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
