/**
 * Why a session writes nothing any more.
 *
 * @module
 */

/** This process's session cannot go on: it has ended, or the database was set back. */
export class SessionLost extends Error {
  override readonly name: string = "SessionLost";
}

/**
 * Others have ended the session, and that is final: what it has not written by then it never will.
 * Ends of its calls are still taken, and booked by a session of their own; nothing else is.
 */
export class SessionEnded extends SessionLost {
  override readonly name = "SessionEnded";
}
