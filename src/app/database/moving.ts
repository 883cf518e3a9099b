/**
 * The sides of a move: a file of a data dir, and a server's database. With `driver.ts` and
 * `maintenance.ts` the one place that names the drivers.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { DatabasePlace } from "../../config/process_settings.ts";
import type { AwaitedSession } from "../../domain/session.ts";
import type { MoveSource, MoveTarget } from "../../storage/ports/moving.ts";
import { type LeavingSource, openMoveSource } from "../../storage/postgres/move_source.ts";
import { openMoveTarget, type ServerTarget } from "../../storage/postgres/move_target.ts";
import { SqliteMoveSource } from "../../storage/sqlite/maintenance/move_source.ts";
import { SqliteMoveTarget } from "../../storage/sqlite/maintenance/move_target.ts";
import { DATABASE_FILES, serverName, serverPlace } from "./driver.ts";
import { MAINTENANCE } from "./maintenance.ts";
import { readNodeIdentity } from "./node_identity.ts";

/** @throws {StorageOpenError} If it cannot be read, or is in the middle of something. */
export function fileToMove(path: string): MoveSource {
  return new SqliteMoveSource(path);
}

/** @throws {StorageOpenError} If it cannot be used. */
export function serverToFill(server: DatabasePlace, now: () => number): Promise<ServerTarget> {
  return openMoveTarget({ ...serverPlace(server), name: serverName(server), now });
}

/**
 * @param dataDir Whose lock is held: its session reads. What has left by a move that has filled a database
 * there, and was broken off at its end, is moved once more.
 * @param onWait Hears once of each session whose end is waited for.
 * @throws {StorageOpenError} If it cannot be used, or somebody serves from it.
 */
export function serverToLeave(
  server: DatabasePlace,
  dataDir: string,
  onWait: (awaited: AwaitedSession) => void = () => {},
): Promise<LeavingSource> {
  return openMoveSource({
    ...serverPlace(server),
    name: serverName(server),
    identity: readNodeIdentity(dataDir, { isServed: false }),
    leftByRuns: filledRuns(dataDir),
    onWait,
  });
}

/** Where a move into a data dir fills a database, until that is whole. */
export function filledBy(run: string, dataDir: string): string {
  return `${DATABASE_FILES.fileIn(dataDir)}${FILLED}${run}`;
}

/** Moves that have begun to fill a database there, and were broken off: it is there. */
export function filledRuns(dataDir: string): readonly string[] {
  return begunRuns(dataDir).filter((run) => existsSync(filledBy(run, dataDir)));
}

/** Those of which anything is there, if only what SQLite has beside a database. */
export function begunRuns(dataDir: string): readonly string[] {
  if (!existsSync(dataDir)) return [];
  const before = `${basename(DATABASE_FILES.fileIn(dataDir))}${FILLED}`;
  const runs = [...Deno.readDirSync(dataDir)].filter(({ name }) => name.startsWith(before))
    .map(({ name }) => name.slice(before.length).replace(/-(wal|shm|journal)$/, ""));
  return [...new Set(runs)];
}

const FILLED = ".moving-";

/** Makes a database under a name of its own. @param name What it is called for people. */
export async function fileToFill(path: string, name: string): Promise<MoveTarget> {
  await MAINTENANCE.bringUpToDate(path);
  return new SqliteMoveTarget(path, name);
}
