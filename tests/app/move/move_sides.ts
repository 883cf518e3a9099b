/**
 * What moves are tried with: a server's databases, data dirs, and a watcher that ends a move anywhere.
 *
 * @module
 */

import assert from "node:assert/strict";
import { openDatabase } from "../../../src/app/database/driver.ts";
import type { moveToServer } from "../../../src/app/move/move_to_server.ts";
import type { PostgresServer } from "../../support/postgres_server.ts";

let databases = 0;

/** An empty database. */
export async function newDatabase(server: PostgresServer) {
  const database = `move_${++databases}`;
  await server.create(database);
  return {
    database,
    server: { url: server.url(database), caFile: undefined, staleKeysMs: undefined },
  };
}

/** Ends a move at its n-th step. */
export function watcherUntil(steps = Infinity) {
  const abort = new AbortController();
  let seen = 0;
  return {
    signal: abort.signal,
    onProgress() {
      if (++seen >= steps) abort.abort();
    },
  };
}

export const now = Date.now;
/** How a database is opened that is in the data dir. */
export const withoutServer = { isServed: false, onLost() {}, server: undefined };

/** Opens a database, and closes it. */
export async function opens(
  dataDir: string,
  options: Parameters<typeof openDatabase>[1],
): Promise<void> {
  const { storage } = await openDatabase(dataDir, options);
  await storage.close();
}

/** How many rows of a table both sides have. */
export function countOf(
  report: Awaited<ReturnType<typeof moveToServer>>,
  table: string,
): number {
  const found = report.tables.find((one) => one.table === table)!;
  assert.equal(found.from, found.to);
  return found.to;
}

/** Every byte of the database, whatever its log has. */
export function bytesOf(dataDir: string): Uint8Array {
  return Deno.readFileSync(`${dataDir}/tollgate.db`);
}
