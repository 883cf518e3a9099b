/**
 * What the operator is told when answers begin not to be kept.
 *
 * @module
 */

import type { KeptRoom } from "../accounts/kept_room.ts";
import type { NoRoom } from "../domain/kept_bytes.ts";
import type { Log } from "../telemetry/log.ts";

const DISK_IS_FULL =
  "the disk is full up to the ledger's part: make room, or lower --disk-reserve-bytes";
const UNSEEN = "the data dir cannot be looked at: see whether its disk is mounted";

/** What an operator should know now. */
export function keptWarnings(
  { isDiskFull, diskFault }: Pick<KeptRoom, "isDiskFull" | "diskFault">,
): readonly string[] {
  if (!isDiskFull) return [];
  return [`answers are not kept: ${diskFault === undefined ? DISK_IS_FULL : UNSEEN}`];
}

/** Writes a line for a project whose answers have no room any more. */
export function logNotKept(
  log: Log,
  { project, why, cause }: {
    readonly project: string;
    readonly why: NoRoom;
    /** Why the disk could not be looked at. */
    readonly cause: unknown;
  },
): void {
  log.warn("answers_not_kept", {
    project,
    why,
    what_to_do: cause !== undefined ? UNSEEN : why === "disk" ? DISK_IS_FULL : moreFor(project),
    error: cause === undefined ? undefined : String(cause),
  });
}

/** A quota of its own goes before that of all: this helps whichever of them it has reached. */
function moreFor(project: string): string {
  return "its kept answers take what it may keep: for more, " +
    `tollgate projects set ${project} --kept-bytes SIZE, or its quotas in the catalogue file`;
}
