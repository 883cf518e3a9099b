/**
 * Archiving that a server does by itself: it goes on with what another process left, and,
 * where it is set, archives each month once it is old enough.
 *
 * @module
 */

import { archiveBefore, type ArchivingDeps } from "../../admin/archives/archive_before.ts";
import { dueMonth, startOfMonth } from "../../admin/archives/closed_months.ts";
import type { ArchiveSettings } from "../../config/process_settings.ts";
import type { Log } from "../../telemetry/log.ts";
import { archiveName } from "./archive_place.ts";

/** Between two looks for a month that is old enough, milliseconds. */
const LOOK_MS = 6 * 3_600_000;

/** What is archived, and who hears of it. */
export interface KeepArchivingOptions {
  readonly settings: ArchiveSettings;
  readonly log: Pick<Log, "info" | "error">;
  /** For tests. */
  readonly lookMs?: number;
  /** Who tells at a start whether one was broken off; default: administration, whose reads take a thread. */
  readonly checkpoints?: Pick<ArchivingDeps["storage"]["checkpoints"], "hasLeftovers" | "list">;
}

/** Archiving that goes on until it is stopped. */
export interface KeptArchiving {
  /** What an operator should know now. */
  warnings(): readonly string[];
  stop(): void;
}

/** Begins at once, beside everything else. */
export function keepArchiving(
  deps: ArchivingDeps,
  { settings, log, checkpoints = deps.storage.checkpoints, lookMs = LOOK_MS }: KeepArchivingOptions,
): KeptArchiving {
  let trouble: string | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    // An operator is at it; there is another look.
    if (deps.archives.isUnderWay) return;
    try {
      await deps.archives.alone(async () => {
        await deps.archives.finishDropping(checkpoints);
        if (settings.afterMonths !== undefined) await archiveDue();
      });
      trouble = undefined;
    } catch (error) {
      // The end breaks it off, and the next start goes on.
      if (isStopped) return;
      trouble = error instanceof Error ? error.message : String(error);
      log.error("archiving_failed", { message: trouble });
    }
  }
  /** A file for each month. */
  async function archiveDue(): Promise<void> {
    const untilMs = dueMonth(deps.clock.now(), settings.afterMonths!);
    for (;;) {
      const { plan } = await deps.archives.outlook(untilMs);
      if (plan === undefined || isStopped) return;
      const beforeMs = Math.min(startOfMonth(plan.firstAt, 1), untilMs);
      const { archive } = await archiveBefore(deps, {
        beforeMs,
        place: settings.folder && `${settings.folder}/${archiveName(beforeMs)}`,
      });
      const { number, file, calls } = archive;
      log.info("calls_archived", { number, file, calls });
    }
  }
  void look();
  const timer = setInterval(() => void look(), lookMs);
  return {
    warnings: () => trouble === undefined ? [] : [`calls are not archived: ${trouble}`],
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
