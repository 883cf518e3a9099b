/**
 * The database driver: with `maintenance.ts` the one place of the gateway that names it.
 *
 * @module
 */

import { type CallCount, type CallIds, countCallsFrom } from "../../domain/ids.ts";
import { loneSession, type Sessions } from "../../domain/session.ts";
import type { DatabaseFiles } from "../../storage/ports/maintenance.ts";
import type { Storage, StorageReads } from "../../storage/ports/storage.ts";
import { SQLITE_FILES } from "../../storage/sqlite/maintenance/sqlite_files.ts";
import { readLargeAnswersBy } from "../../storage/sqlite/reader/large_answers.ts";
import { createReaderStorage } from "../../storage/sqlite/reader/reader_storage.ts";
import { createWorkerStorage } from "../../storage/sqlite/worker_client.ts";

/** Where the driver's files are. */
export const DATABASE_FILES: DatabaseFiles = SQLITE_FILES;

/** How a data dir's database is opened. */
export interface DatabaseOptions {
  /** Whether somebody may read for long, beside calls that must not wait. */
  readonly isServed: boolean;
  /** Hears that nothing can be stored any more. */
  readonly onLost: (error: Error) => void;
}

/** A database that is open. */
export interface OpenDatabase {
  /** Reads in order with the writes. */
  readonly storage: Storage;
  /** Reads beside the writes, where somebody may read for long. */
  readonly reads: StorageReads;
  /** This process's session has begun. */
  readonly sessions: Sessions;
  /** The numbers of its calls. */
  readonly callIds: CallIds & { readonly count: CallCount };
  /** Ends what is being read; what is written goes on until `storage` is closed. */
  stopReads(): Promise<void>;
}

/** Whether a data dir has a database, or something in its place that nobody may look at. */
export function hasDatabase(dataDir: string): boolean {
  try {
    Deno.lstatSync(DATABASE_FILES.fileIn(dataDir));
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}

/**
 * Opens the database of a data dir.
 *
 * @throws {StorageOpenError} When it cannot be used.
 */
export async function openDatabase(
  dataDir: string,
  { isServed, onLost }: DatabaseOptions,
): Promise<OpenDatabase> {
  const path = DATABASE_FILES.fileIn(dataDir);
  const storage = await createWorkerStorage(path, { onCrash: onLost });
  const [session, lastCallId] = await Promise.all([
    storage.beginSession(),
    storage.calls.lastCallId(),
  ]).catch(async (error) => {
    await storage.close();
    throw error;
  });
  const alone = { sessions: loneSession(session), callIds: countCallsFrom(lastCallId) };
  if (!isServed) {
    return { ...alone, storage, reads: storage, stopReads: () => Promise.resolve() };
  }
  const reader = createReaderStorage(path, { writer: storage });
  return {
    ...alone,
    storage: readLargeAnswersBy(reader, storage),
    reads: reader,
    stopReads: () => reader.close(),
  };
}
