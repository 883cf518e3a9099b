/**
 * What sessions have left that are no more.
 *
 * @module
 */

import type { Ledger } from "../accounts/ledger.ts";
import type { SessionId, Sessions } from "../domain/session.ts";
import type { Storage } from "../storage/ports/storage.ts";

/** Calls that are closed in one go after a crash. */
const SLICE = 1_000;

/** Sessions that have ended and have left calls or answers open. */
export async function endedSessions(
  storage: Pick<Storage, "sessions">,
  sessions: Sessions,
): Promise<readonly SessionId[]> {
  return (await storage.sessions.withOpen()).filter((session) => sessions.hasEnded(session));
}

/**
 * Releases a session's open calls: their outcome is unknown, so nobody is charged. Calls whose
 * rows cannot be closed stay open and are told of; the check of the ledger names them.
 */
export async function reapCalls(
  session: SessionId,
  { calls, ledger }: {
    readonly calls: Pick<Storage["calls"], "abandonedCalls">;
    readonly ledger: Pick<Ledger, "reap">;
  },
): Promise<void> {
  let released: number;
  do {
    const open = await calls.abandonedCalls(session, SLICE);
    released = open.length === 0 ? 0 : await ledger.reap(open);
  } while (released > 0);
}
