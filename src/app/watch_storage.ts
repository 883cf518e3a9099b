/**
 * Watches the database while a gateway runs, wherever it is.
 *
 * @module
 */

import type { Log } from "../telemetry/log.ts";
import { DATABASE_FILES } from "./database/driver.ts";
import { serverReasons, serverWarnings } from "./database/watch_server.ts";
import { keepSealing } from "./keep_sealing.ts";
import type { Core } from "./open_core.ts";
import { watchDatabase } from "./watch_database.ts";
import { watchHealth } from "./watch_health.ts";

/** A watch that goes on until it is stopped. */
export interface StorageWatch {
  /** Why no calls can be taken. */
  reasons(): readonly string[];
  /** What an operator should know now. */
  warnings(): readonly string[];
  /** What is damaged of the database, as far as it was read. */
  damage(): string | undefined;
  /** Resolves when another start of this process would find nothing better; rejects when it is closed. */
  answers(): Promise<void>;
  /** Resolves once nothing is read any more. */
  stop(): Promise<void>;
}

/** Begins at once. `onLost` hears that nothing can be stored any more. */
export function watchStorage(
  { admin, dataDir, server, followed, storage, backups }: Pick<
    Core,
    "admin" | "dataDir" | "server" | "followed" | "storage" | "backups"
  >,
  { log, onLost, dropCallsAfterMonths: dropAfterMonths }: {
    readonly log: Log;
    readonly onLost: (error: Error) => void;
    readonly dropCallsAfterMonths?: number | undefined;
  },
): StorageWatch {
  if (server !== undefined) {
    const sealing = keepSealing({ storage, server, clock: admin.clock, log, dropAfterMonths });
    return {
      reasons: () => serverReasons(server, followed),
      warnings: () => [...serverWarnings(server), ...sealing.warnings()],
      damage: () => undefined,
      // One that is away comes back, and another start would not find it sooner.
      answers: () => Promise.resolve(),
      stop: () => sealing.stop(),
    };
  }
  const path = DATABASE_FILES.fileIn(dataDir);
  const stopWatching = watchDatabase(path, onLost);
  const health = watchHealth({
    logBytes: () => DATABASE_FILES.unmergedBytes(path),
    largeLogBytes: DATABASE_FILES.mostUnmergedBytes,
    check: () => backups.check(),
    log,
  });
  return {
    reasons: () => [],
    warnings: () => health.warnings(),
    damage: () => health.damage(),
    answers: async () => void await storage.calls.lastCallId(),
    stop() {
      stopWatching();
      health.stop();
      return Promise.resolve();
    },
  };
}
