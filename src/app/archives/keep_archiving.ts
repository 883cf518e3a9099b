/**
 * Archiving that a server does by itself: it goes on with what another process left, and,
 * where it is set, archives each month once it is old enough.
 *
 * @module
 */

import { archiveBefore, type ArchivingDeps } from "../../admin/archives/archive_before.ts";
import { dueMonth, startOfMonth } from "../../admin/archives/closed_months.ts";
import { ArchiveFileAway } from "../../admin/archives/unfinished_archive.ts";
import type { ArchiveSettings } from "../../config/process_settings.ts";
import { GatewayError } from "../../errors.ts";
import type { ServerState } from "../../storage/ports/server_state.ts";
import type { Storage } from "../../storage/ports/storage.ts";
import type { Log } from "../../telemetry/log.ts";
import { archiveName } from "./archive_place.ts";

/** Between two looks for a month that is old enough, milliseconds. */
const LOOK_MS = 6 * 3_600_000;
/** Likewise while an archive waits for its file, which whoever has it may have gone on with, or the database is away. */
const AWAY_LOOK_MS = 10 * 60_000;
/** With clocks further apart nobody can say how old a call is: one of them is wrong. */
export const APART_MS = 3 * 60_000;

/** What is archived, and who hears of it. */
export interface KeepArchivingOptions {
  readonly settings: ArchiveSettings;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** Of a server, whose runs of rows keep to no month: who of its processes archives, and that in one file. */
  readonly ofServer?: { readonly isOurs: () => Promise<boolean> } | undefined;
  /** For tests. */
  readonly lookMs?: number;
  /** Who tells at a start whether one was broken off; default: administration, whose reads take a thread. */
  readonly checkpoints?: Pick<ArchivingDeps["storage"]["checkpoints"], "hasLeftovers" | "list">;
}

/** What an operator hears of an archive that nobody but one node has. */
const ONE_COPY = "It is the only copy of what was archived, in the data dir of this node: set " +
  "archive_dir to a folder that all nodes share or that is backed up";

/** What anybody may read of whatever keeps it from archiving: its own words may name a path. */
const FAILED = "the log says why (archiving_failed)";

/** Archiving that goes on until it is stopped. */
export interface KeptArchiving {
  /** What an operator should know now, without a path or a name of a node: anybody may ask. */
  warnings(): readonly string[];
  stop(): void;
}

/** Begins at once, beside everything else. */
export function keepArchiving(
  deps: ArchivingDeps,
  { settings, log, ofServer, checkpoints = deps.storage.checkpoints, lookMs = LOOK_MS }:
    KeepArchivingOptions,
): KeptArchiving {
  let trouble: string | undefined;
  /** What the log has of it. */
  let told: string | undefined;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function keepLooking(): Promise<void> {
    const isAway = isPassing(await look());
    if (isStopped) return;
    timer = setTimeout(() => void keepLooking(), isAway ? Math.min(AWAY_LOOK_MS, lookMs) : lookMs);
  }
  /** Gives what kept it from archiving. */
  async function look(): Promise<unknown> {
    // An operator is at it; there is another look.
    if (deps.archives.isUnderWay) return undefined;
    try {
      await deps.archives.alone(async () => {
        await deps.archives.finishDropping(checkpoints);
        const staying = await isDue() ? await archiveDue() : undefined;
        if (staying !== undefined) log.error("archiving_failed", { message: staying });
        trouble = staying && FAILED;
        told = undefined;
      });
      return undefined;
    } catch (error) {
      // The end breaks it off, and the next start goes on.
      if (isStopped) return error;
      const before = told;
      told = error instanceof Error ? error.message : String(error);
      trouble = publicTroubleOf(error);
      if (!(error instanceof ArchiveFileAway)) log.error("archiving_failed", { message: told });
      else if (told !== before) log.warn("archive_file_away", { message: told });
      return error;
    }
  }
  async function isDue(): Promise<boolean> {
    return settings.afterMonths !== undefined && await (ofServer?.isOurs() ?? true);
  }
  /** A file for each month, or one of all. Gives why something of it stays. */
  async function archiveDue(): Promise<string | undefined> {
    const untilMs = dueMonth(deps.clock.now(), settings.afterMonths!);
    for (;;) {
      const { plan } = await deps.archives.outlook(untilMs);
      if (plan === undefined || isStopped) return undefined;
      const beforeMs = ofServer === undefined
        ? Math.min(startOfMonth(plan.firstAt, 1), untilMs)
        : untilMs;
      // A server's archives have their number in their names: one month may have several.
      const name = ofServer === undefined ? archiveName(beforeMs) : "";
      const { archive, trouble, isOfOneNode = false } = await archiveBefore(deps, {
        beforeMs,
        place: settings.folder && `${settings.folder}/${name}`,
      });
      const { number, file, calls } = archive;
      log.info("calls_archived", { number, file, calls });
      if (isOfOneNode) log.warn("archive_on_one_node", { file, message: ONE_COPY });
      // A server's has all that there was.
      if (trouble !== undefined || ofServer !== undefined) return trouble;
    }
  }
  void keepLooking();
  return {
    warnings: () => trouble === undefined ? [] : [`calls are not archived: ${trouble}`],
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function isPassing(error: unknown): boolean {
  return error instanceof ArchiveFileAway ||
    error instanceof GatewayError && error.error === "storage_away";
}

function publicTroubleOf(error: unknown): string {
  return error instanceof ArchiveFileAway
    ? `archive ${error.number} waits for its file: \`tollgate doctor\` says which`
    : FAILED;
}

/** Of the processes that use a server the one that seals archives, while nobody's clock is wrong. */
export function archivingOfServer(
  server: { state(): Pick<ServerState, "answerMs" | "clockAheadMs"> },
  { seals }: Pick<Storage, "seals">,
): KeepArchivingOptions["ofServer"] {
  return {
    async isOurs() {
      const { answerMs, clockAheadMs } = server.state();
      // Before the first answer nobody knows how far they are apart.
      const areRight = answerMs !== 0 && Math.abs(clockAheadMs) < APART_MS;
      return areRight && await seals?.isSealer() === true;
    },
  };
}
