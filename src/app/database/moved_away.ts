/**
 * A data dir whose database was moved to a server says so, and nobody serves from its file by mistake.
 *
 * @module
 */

import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";

const FILE = "database_moved";

/** Notes where the database went, so that it lasts. */
export function noteMovedAway(dataDir: string, { to, at }: { to: string; at: number }): void {
  const text = `${to}\n${new Date(at).toISOString()}\n`;
  const file = Deno.openSync(`${dataDir}/${FILE}`, {
    create: true,
    write: true,
    truncate: true,
    mode: 0o600,
  });
  try {
    file.writeSync(new TextEncoder().encode(text));
    file.syncDataSync();
  } finally {
    file.close();
  }
}

/** The file has the database again. */
export function forgetMovedAway(dataDir: string): void {
  try {
    Deno.removeSync(`${dataDir}/${FILE}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** @throws {StorageOpenError} If the database was moved: where, and what to do. */
export function refuseMovedAway(dataDir: string): void {
  let text: string;
  try {
    text = Deno.readTextFileSync(`${dataDir}/${FILE}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return;
    throw error;
  }
  const [to, at] = text.split("\n");
  throw new StorageOpenError(
    `The database of the data dir ${dataDir} was moved to ${to} at ${at}: start with that as ` +
      `database_url (TOLLGATE_DATABASE_URL). To go on with the file here all the same, remove ` +
      `${dataDir}/${FILE}: what is stored here then is not there, until you move it again`,
  );
}
