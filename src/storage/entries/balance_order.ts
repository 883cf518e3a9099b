/**
 * Which entries may not pass each other: a balance's owner counts on what a call gives back as
 * soon as that is decided, so whatever takes of it is written behind the call's end.
 *
 * @module
 */

import type { Entry } from "../ports/entry.ts";

/** The project whose balance gets something back with an entry; `undefined` for most entries. */
export function givesBackTo(entry: Entry): string | undefined {
  if (entry.kind !== "close" || entry.call.heldE8 === entry.call.chargedE8) return undefined;
  return entry.call.projectId;
}

/**
 * The project whose balance an entry may take something of, or goes on from an entry that may;
 * `undefined` where nothing is taken.
 */
export function takesFrom(entry: Entry): string | undefined {
  switch (entry.kind) {
    case "hold":
    case "rehold":
    case "close":
    case "create_video":
      return entry.call.unlimited ? undefined : entry.call.projectId;
    case "change_video":
      return entry.move?.projectId;
    case "give_back":
      return entry.projectId;
    case "audited":
      return takesFrom(entry.changes[0]);
    default:
      return undefined;
  }
}
