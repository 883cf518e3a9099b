/**
 * A data dir whose database was moved to a server says so, and nobody serves from its file by mistake.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";

const FILE = "database_moved";

/** Notes where the database went, so that it lasts. */
export function noteMovedAway(dataDir: string, { to, at }: { to: string; at: number }): void {
  write(dataDir, `${to}\n${new Date(at).toISOString()}\n`);
}

/**
 * Notes that it comes back, as a file that is about to be renamed to the database's name: from the moment
 * when there is none of that name any more, the data dir has the database again.
 */
export function noteComingBack(dataDir: string, filled: string): void {
  const text = readNote(dataDir);
  if (text === undefined) return;
  const [to, at] = text.split("\n");
  write(dataDir, `${to}\n${at}\n${filled}\n`);
}

function write(dataDir: string, text: string): void {
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

/** What there is to say of a database that is elsewhere. */
export interface MovedAway {
  /** Where it went, and when. */
  readonly detail: string;
  /** What goes on with the file that is left all the same. */
  readonly orElse: string;
}

/** Where the database went; `undefined` where the data dir has it. */
export function movedAway(dataDir: string): MovedAway | undefined {
  const text = readNote(dataDir);
  if (text === undefined) return undefined;
  const [to, at, filled] = text.split("\n");
  if (filled !== undefined && filled !== "" && !existsSync(filled)) return undefined;
  return {
    detail: `The database of the data dir ${dataDir} was moved to ${to} at ${at}`,
    orElse: `To go on with the file here all the same, remove ${dataDir}/${FILE}: what is stored ` +
      "here then is not there, until you move it again",
  };
}

/** @throws {StorageOpenError} If the database was moved: where, and what to do. */
export function refuseMovedAway(dataDir: string): void {
  const moved = movedAway(dataDir);
  if (moved === undefined) return;
  throw new StorageOpenError(
    `${moved.detail}: start with that as database_url (TOLLGATE_DATABASE_URL). ${moved.orElse}`,
  );
}

function readNote(dataDir: string): string | undefined {
  try {
    return Deno.readTextFileSync(`${dataDir}/${FILE}`);
  } catch (error) {
    const isNone = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isNone) return undefined;
    throw error;
  }
}
