/**
 * The end of a server whose session others have ended, as it stood still or was cut off for too long: what
 * its calls come to is booked before the process ends.
 *
 * @module
 */

import type { Log } from "../telemetry/log.ts";
import type { Core } from "./open_core.ts";
import type { CallsEnd } from "./start_server.ts";

/** Lets calls under way end, and says what was booked of them. Never rejects. */
export async function bookLate(
  { server: database }: Pick<Core, "server">,
  server: CallsEnd,
  log: Log,
): Promise<void> {
  try {
    await server.endCalls();
    const books = await database?.endLate();
    const { booked = 0, closedElsewhere = 0, keysTaken = 0, linesLeft = 0 } = books ?? {};
    log.warn("ledger_rebooked", {
      calls: booked,
      left: closedElsewhere + keysTaken + linesLeft,
      closed_elsewhere: closedElsewhere,
      keys_taken: keysTaken,
      lines_left: linesLeft,
    });
  } catch (error) {
    log.error("ledger_not_rebooked", {
      message: error instanceof Error ? error.message : String(error),
    });
  }
}
