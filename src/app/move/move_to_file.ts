/**
 * Moves a server's database into a data dir. Until all of it is there and adds up, it has a name of its
 * own, and the server's stays in use.
 *
 * @module
 */

import { existsSync } from "node:fs";
import type { AwaitedSession } from "../../domain/session.ts";
import { GatewayError } from "../../errors.ts";
import { ifThere } from "../../files/if_there.ts";
import { lockDataDir } from "../../storage/ownership/data_dir_lock.ts";
import { timeStamp } from "../backups/time_stamp.ts";
import { DATABASE_FILES } from "../database/driver.ts";
import { openServerLook } from "../database/look_at_server.ts";
import { MAINTENANCE } from "../database/maintenance.ts";
import { forgetMovedAway, noteComingBack } from "../database/moved_away.ts";
import { begunRuns, fileToFill, filledBy, serverToLeave } from "../database/moving.ts";
import { addEndedSessions } from "../sessions/keep_ended_sessions.ts";
import { checkMoved } from "./check_moved.ts";
import { rowsInFile } from "../../catalog/own_rows.ts";
import { compareSides, copyRows } from "./copy_rows.ts";
import { type MoveReport, refuseFaulty, refuseUnlike } from "./move_report.ts";
import type { MoveOptions } from "./move_to_server.ts";

/** How the data dir is treated. */
export interface MoveBackOptions extends MoveOptions {
  /** Whether a database that is there may be replaced; it is kept under another name. */
  readonly mayReplace: boolean;
  /** Hears once of each session of the server's database whose end is waited for. */
  readonly onWait?: (awaited: AwaitedSession) => void;
}

/**
 * Copies all rows into a new file, adds the books up again there, gives it its place, and has the
 * server's database say where it went. A move that is broken off begins anew the next time.
 *
 * @throws {GatewayError} `conflict` when a process has the data dir, a database may not be replaced, or
 * the two sides differ.
 * @throws {StorageOpenError} When either cannot be used, or somebody serves from the server's.
 */
export async function moveToFile(options: MoveBackOptions): Promise<MoveReport> {
  const { dataDir, server, watcher, now } = options;
  const path = DATABASE_FILES.fileIn(dataDir);
  const lock = await lockDataDir(dataDir, {
    owner: { pid: Deno.pid, socket: undefined, kind: "cli" },
  });
  try {
    if (existsSync(path) && !options.mayReplace) {
      throw new GatewayError(
        "conflict",
        `${dataDir} has a database. With --yes it is replaced, and kept under another name. Nothing was changed`,
      );
    }
    const source = await serverToLeave(server, dataDir, options.onWait);
    try {
      // What another move has filled is needed as long as this one may be broken off, too.
      await removeFilled(dataDir, (run) => run !== source.leftByRun);
      if (source.isMerged) {
        const books = await checkMoved(await openServerLook(server), watcher, { isDeep: true });
        refuseFaulty(books, source.name, "Nothing is moved");
      }
      const run = crypto.randomUUID();
      const filled = filledBy(run, dataDir);
      const target = await fileToFill(filled, path);
      let read;
      try {
        read = await source.atOneMoment(async () => ({
          copied: await copyRows(source, target, watcher),
          compared: await compareSides(source, target),
          prices: await source.ownPrices(),
          endedSessions: await source.endedSessions(),
        }));
      } finally {
        await target.close();
      }
      const { copied, compared, prices, endedSessions } = read;
      const filledBooks = MAINTENANCE.openToRead(filled);
      const projects = await filledBooks.accounts.loadProjects();
      const books = await checkMoved(filledBooks, watcher);
      refuseUnlike(compared, books, path);
      await target.open();
      const suffix = `.before-move-${timeStamp(now())}`;
      const kept = existsSync(path) ? `${path}${suffix}` : undefined;
      // Before the file can be served from: whoever is interrupted behind this moves again.
      await source.leave({ other: dataDir, at: now(), run });
      await replacePrices(dataDir, prices, suffix);
      addEndedSessions(dataDir, endedSessions);
      noteComingBack(dataDir, filled);
      await MAINTENANCE.replace(filled, { path, kept: kept ?? null });
      await removeFilled(dataDir, () => true);
      forgetMovedAway(dataDir);
      const keepsPrompts = projects.some(({ quotas }) => quotas.promptDays !== undefined);
      return { ...copied, ...compared, from: source.name, to: path, books, kept, keepsPrompts };
    } finally {
      await source.close();
    }
  } finally {
    lock.release();
  }
}

/** Those of the database that comes, where it has any; others are kept under another name. */
async function replacePrices(
  dataDir: string,
  prices: string | undefined,
  suffix: string,
): Promise<void> {
  const rows = rowsInFile(dataDir);
  const before = await rows.read();
  if (before === prices) return;
  if (before !== undefined) await Deno.rename(rows.place, `${rows.place}${suffix}`);
  if (prices !== undefined) await rows.write(prices, undefined);
}

async function removeFilled(
  dataDir: string,
  isGone: (run: string) => boolean,
): Promise<void> {
  for (const run of begunRuns(dataDir).filter(isGone)) {
    const path = filledBy(run, dataDir);
    for (const file of [path, ...DATABASE_FILES.filesBeside(path)]) {
      await ifThere(Deno.remove(file));
    }
  }
}
