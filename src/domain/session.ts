/**
 * Sessions: one start of a process that opens the data. Whatever is left open has an owner, its
 * session, and what an ended session has left is reaped: nothing of a living one is.
 *
 * @module
 */

/** Numbers rise with each session. */
export type SessionId = number;

/** Whose is what was left open before sessions were counted. */
export const EARLIER_SESSION: SessionId = 0;

/** Sessions as one of them knows them. */
export interface Sessions {
  /** This process's own. */
  readonly own: SessionId;
  /** Whether a session will write nothing any more. */
  hasEnded(session: SessionId): boolean;
}

/** Of data that one process has at a time: every other session has ended. */
export function loneSession(own: SessionId): Sessions {
  return { own, hasEnded: (session) => session !== own };
}

/** A session that another one waits for, which needs the data to itself. */
export interface AwaitedSession {
  readonly session: SessionId;
  /** For people. */
  readonly label: string;
  /** Milliseconds of silence after which it is taken for ended. */
  readonly silentMs: number;
}

/** Who begins sessions where several processes use one database. */
export interface NodeIdentity {
  /** The same at each start from a data dir, and of no other: one of its sessions lives at a time. */
  readonly node: string;
  /** For people. */
  readonly label: string;
  /** The program's version. */
  readonly program?: string;
  /** Whether it is a command, which goes on with nothing that others have left. Default: it is not. */
  readonly isCommand?: boolean;
  /** Whether it needs the database to itself, and waits for the end of all others. Default: it joins them. */
  readonly isAlone?: boolean;
}
