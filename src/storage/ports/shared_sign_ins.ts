/**
 * What several processes that use one database know together of who signs in at the console, whichever of
 * them a balancer picks: links that sign in once, and sessions that were ended before their time.
 *
 * @module
 */

import type { Rights } from "../../domain/roles.ts";

/** A session of the console, as far as its end is concerned. */
export interface EndedSession {
  readonly id: string;
  /** When it ends by itself, milliseconds since the epoch. */
  readonly until: number;
}

/** A session that somebody comes with. */
export interface AskedSession extends EndedSession {
  /** When it began, milliseconds since the epoch. */
  readonly since: number;
}

/**
 * In the place of a session's id: all that have begun so long before that, that a session of full length
 * would end by then. None has it for its id.
 */
export const EVERY_SESSION = "*";

/** Most ends that are brought from one place to another: of more, those count that would last longest. */
export const MOST_ENDED = 10_000;

/** Links and sessions; of neither is there anything in it that signs in. */
export interface SharedSignIns {
  /** Ends a session before its time. */
  end(session: EndedSession): Promise<void>;
  /** Ends many. */
  endAll(sessions: readonly EndedSession[]): Promise<void>;
  /** Whether it was. */
  hasEnded(session: AskedSession): Promise<boolean>;
  /** Those that were, and would not have by now; at most so many, of more those that would last longest. */
  listEnded(most: number): Promise<readonly EndedSession[]>;
  /** Keeps a link for so many milliseconds. Of more than `most` the oldest give way. */
  keepLink(
    link: { readonly codeHash: string; readonly rights: Rights },
    limits: { readonly lastsMs: number; readonly most: number },
  ): Promise<void>;
  /** Takes one that is good still: nobody else can. */
  takeLink(codeHash: string): Promise<Rights | undefined>;
}
