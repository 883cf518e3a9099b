/**
 * Opens a data dir: its lock, its database and the live state made from it.
 * What a server and a command in process have in common.
 *
 * @module
 */

import { lockDataDir } from "../storage/ownership/data_dir_lock.ts";
import type { Core } from "./assemble_core.ts";
import type { CoreOptions } from "./core_options.ts";
import { openDatabase } from "./database/driver.ts";
import { openBucket } from "./film_place.ts";

export type { Core } from "./assemble_core.ts";

/**
 * Opens a data dir.
 *
 * @throws {GatewayError} `conflict` when another process has it, naming that process.
 * @throws {StorageOpenError} When the database, or the bucket of the films, cannot be used.
 */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { dataDir } = options;
  const lock = await lockDataDir(dataDir, {
    owner: { pid: Deno.pid, socket: options.socketPath, kind: options.processKind },
  });
  try {
    const bucket = await openBucket(options.filmBucket, options.processKind);
    // A thread of its own opens the database, while this one loads what is made of it.
    const [database, { assembleCore }] = await Promise.all([
      openDatabase(dataDir, {
        server: options.database,
        isServed: options.processKind === "server",
        onLost: options.onStorageLost,
        onTablesInUse: options.onTablesInUse,
      }),
      import("./assemble_core.ts"),
    ]);
    return await assembleCore({ database, bucket, lock }, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}
