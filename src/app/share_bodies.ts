/**
 * The memory that all request bodies share, and whose turn it is to send a large one.
 *
 * @module
 */

import type { Settings } from "../config/settings.ts";
import type { Clock } from "../domain/clock.ts";
import { createSharedBudget, type SharedBudget } from "../http/body_budget.ts";
import { LargeBodyTurns } from "../limits/large_body_turns.ts";

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
