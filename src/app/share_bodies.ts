/**
 * The memory that all request bodies share, and whose turn it is to send a large one.
 *
 * @module
 */

import type { KeptRoom } from "../accounts/kept_room.ts";
import type { Settings } from "../config/process_settings.ts";
import type { Clock } from "../domain/clock.ts";
import { createSharedBudget, type SharedBudget } from "../http/bodies/body_budget.ts";
import { LARGE_BYTES, LargeBodyTurns } from "../limits/large_body_turns.ts";

/** Projects are its owners: each always has room for the largest body. */
export function shareBodies(
  { maxInFlightBytes, maxJsonBytes, maxFormBytes }: Settings["bodies"],
  clock: Clock,
): SharedBudget {
  return createSharedBudget({
    maxBytes: maxInFlightBytes,
    leastShareBytes: Math.max(maxJsonBytes, maxFormBytes),
    turns: new LargeBodyTurns(clock),
  });
}

/**
 * Room for what is kept, where a large answer counts as a large body does: the ledger waits while
 * it is written.
 */
export function keptInTurns(
  room: Pick<KeptRoom, "take" | "promise">,
  bodies: SharedBudget,
): Pick<KeptRoom, "take" | "promise"> {
  const count = (projectId: string, bytes: number): void => {
    if (bytes >= LARGE_BYTES) bodies.of(projectId).turnInMs?.(bytes);
  };
  return {
    take(projectId, bytes) {
      const refusal = room.take(projectId, bytes);
      if (refusal === undefined) count(projectId, bytes);
      return refusal;
    },
    promise(projectId, bytes) {
      const promised = room.promise(projectId, bytes);
      if (typeof promised === "string") return promised;
      return {
        get left() {
          return promised.left;
        },
        spend(spent) {
          promised.spend(spent);
          count(projectId, spent);
        },
        end: () => promised.end(),
      };
    },
  };
}
