/**
 * Moves the database of a data dir to a server. The file stays as it is.
 *
 * @module
 */

import type { WorkWatcher } from "../../admin/base/work_progress.ts";
import type { DatabasePlace } from "../../config/process_settings.ts";
import { GatewayError } from "../../errors.ts";
import {
  type DataDirLock,
  isDataDirLocked,
  lockDataDir,
} from "../../storage/ownership/data_dir_lock.ts";
import { readLockOwner } from "../../storage/ownership/lock_owner.ts";
import { DATABASE_FILES, hasDatabase } from "../database/driver.ts";
import { openServerLook } from "../database/look_at_server.ts";
import { MAINTENANCE } from "../database/maintenance.ts";
import { endedSessionsIn } from "../sessions/keep_ended_sessions.ts";
import { noteMovedAway } from "../database/moved_away.ts";
import { fileToMove, serverToFill } from "../database/moving.ts";
import { checkMoved } from "./check_moved.ts";
import { compareSides, copyRows } from "./copy_rows.ts";
import { type MoveReport, refuseUnlike } from "./move_report.ts";

/** What goes where. */
export interface MoveOptions {
  readonly dataDir: string;
  readonly server: DatabasePlace;
  readonly watcher: WorkWatcher;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Copies all rows, adds the books up again on the server, and has the data dir say where its database
 * is. While the data dir is served its rows of one moment are copied ahead, and the server's database
 * stays unfinished.
 *
 * @throws {GatewayError} `conflict` when another command has the data dir, or the two sides differ.
 * @throws {StorageOpenError} When either cannot be used.
 */
export async function moveToServer(options: MoveOptions): Promise<MoveReport> {
  const { dataDir, server, watcher, now } = options;
  if (!hasDatabase(dataDir)) {
    throw new GatewayError("conflict", `There is no database in ${dataDir}: nothing is moved`);
  }
  const lock = await lockUnlessServed(dataDir);
  try {
    const path = DATABASE_FILES.fileIn(dataDir);
    using _ = MAINTENANCE.leaveNoTrace(path);
    const source = fileToMove(path);
    try {
      const target = await serverToFill(server, now);
      try {
        const copied = await copyRows(source, target, watcher);
        const compared = await compareSides(source, target);
        const books = lock && await checkMoved(await openServerLook(server), watcher);
        refuseUnlike(compared, books, target.name);
        if (lock !== undefined) {
          await target.endSessions(endedSessionsIn(dataDir, now()));
          await target.open();
          noteMovedAway(dataDir, { to: target.name, at: now() });
        }
        const [from, to] = [source.name, target.name];
        return { ...copied, ...compared, from, to, books, kept: undefined };
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  } finally {
    lock?.release();
  }
}

/** `undefined` while a server has it: what that writes meanwhile is moved later. */
async function lockUnlessServed(dataDir: string): Promise<DataDirLock | undefined> {
  if (readLockOwner(dataDir)?.kind === "server" && await isDataDirLocked(dataDir)) return undefined;
  return await lockDataDir(dataDir, {
    owner: { pid: Deno.pid, socket: undefined, kind: "cli" },
  });
}
