/**
 * What goes wrong with a database slowly: a log that grows, and damage that
 * nobody reads.
 *
 * @module
 */

import type { Log } from "../telemetry/log.ts";

/** Between two looks at the log, milliseconds. */
const LOG_LOOK_MS = 10_000;
/** Between two checks of every page, milliseconds. */
const CHECK_MS = 7 * 86_400_000;

/** What is watched, and how. */
export interface WatchHealthOptions {
  /** The size of the database's log; never rejects. */
  readonly logBytes: () => Promise<number>;
  /** More than this is large. */
  readonly largeLogBytes: number;
  /** Reads every page, on another thread; rejects when one is damaged. */
  readonly check: () => Promise<void>;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** For tests. */
  readonly logLookMs?: number;
  readonly checkMs?: number;
}

/** A watch that goes on until it is stopped. */
export interface HealthWatch {
  /** What an operator should know now. */
  warnings(): readonly string[];
  /** What is damaged of the database, as far as it was read. */
  damage(): string | undefined;
  stop(): void;
}

/** Looks at the log's size every ten seconds, and at every page once a week. */
export function watchHealth(options: WatchHealthOptions): HealthWatch {
  const { log, largeLogBytes } = options;
  let logBytes = 0;
  let damage: string | undefined;
  let isStopped = false;

  let isLooking = false;

  async function lookAtLog(): Promise<void> {
    // Of two looks at once the older one could have the last word.
    if (isLooking) return;
    isLooking = true;
    const bytes = await options.logBytes().finally(() => isLooking = false);
    const isLarge = bytes > largeLogBytes;
    if (isLarge && logBytes <= largeLogBytes) log.warn("database_log_large", { bytes });
    if (!isLarge && logBytes > largeLogBytes) log.info("database_log_merged", { bytes });
    logBytes = bytes;
  }
  async function checkPages(): Promise<void> {
    try {
      await options.check();
      damage = undefined;
      log.info("database_checked", {});
    } catch (error) {
      // The end breaks a check off, which says nothing about the database.
      if (isStopped) return;
      damage = error instanceof Error ? error.message : String(error);
      log.error("database_check_failed", { message: damage });
    }
  }
  const timers = [
    setInterval(() => void lookAtLog(), options.logLookMs ?? LOG_LOOK_MS),
    setInterval(() => void checkPages(), options.checkMs ?? CHECK_MS),
  ];
  return {
    warnings: () => [
      ...(logBytes > largeLogBytes
        ? [`the database's log has ${logBytes} bytes: somebody reads it for long`]
        : []),
      ...(damage === undefined ? [] : [damage]),
    ],
    damage: () => damage,
    stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}
