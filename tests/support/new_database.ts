/**
 * New databases that need no migrating: most tests begin with one, and making it takes longer than
 * what many of them do with it.
 *
 * @module
 */

import { openDatabase } from "../../src/storage/sqlite/database.ts";

let empty: Uint8Array | undefined;

/** Writes an empty database of the current schema to `path`, which does not exist yet. */
export async function writeNewDatabase(path: string): Promise<void> {
  await Deno.writeFile(path, empty ??= await makeOne(), { mode: 0o600, createNew: true });
}

async function makeOne(): Promise<Uint8Array> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-empty-" });
  try {
    openDatabase(`${folder}/tollgate.db`).close();
    return await Deno.readFile(`${folder}/tollgate.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
