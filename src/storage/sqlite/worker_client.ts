/**
 * The SQLite driver in a Worker: the storage port by a line between threads.
 *
 * @module
 */

import type { Storage } from "../ports/storage.ts";
import { decodeResults, encodeBatch } from "./batch_message.ts";
import { DirectLine } from "./direct_line.ts";
import { storageOver } from "./operations.ts";
import { WorkerLink } from "./worker_link.ts";
import type { WorkerStart } from "./worker_protocol.ts";

/** How the Worker is started and watched. */
export interface WorkerStorageOptions {
  /**
   * Called once if the Worker ends without being asked to. Everything pending is
   * rejected and nothing can be stored any more: the process should stop.
   */
  readonly onCrash?: (error: Error) => void;
  /** Makes every batch take longer, to measure what a slow disk does. */
  readonly commitDelayMs?: number;
  /** The Worker's module; by default the driver's own. */
  readonly entry?: URL;
}

/**
 * Opens the database at `path` in a Worker of its own, so that syncs and reports
 * never block this thread.
 *
 * @throws {StorageOpenError} If the file cannot be used.
 */
export async function createWorkerStorage(
  path: string,
  options: WorkerStorageOptions = {},
): Promise<Storage> {
  const line = new DirectLine();
  const { commitDelayMs = 0 } = options;
  const workerData: WorkerStart = { path, commitDelayMs, line: line.start };
  const client = new WorkerLink({
    entry: options.entry ?? workerAddress(),
    workerData,
    line,
    crash,
    onCrash: options.onCrash,
  });
  await client.open();
  const storage = storageOver((name, args) => client.call(name, args));
  return {
    ...storage,
    async commitBatch(batch) {
      return decodeResults(await client.call("commitBatch", encodeBatch(batch)));
    },
  };
}

/** The bundler names a Worker's file after its path under `src`, beside the main bundle. */
function workerAddress(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : new URL("./storage_sqlite_worker.js", import.meta.url);
}

function crash(what: string, cause: unknown): Error {
  return new Error(
    `The storage's Worker ended with ${what}. Nothing can be stored any more; restart tollgate`,
    { cause },
  );
}
