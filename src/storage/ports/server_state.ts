/**
 * How the server of a database is doing, as a driver tells it whose database is on one.
 *
 * @module
 */

/** Milliseconds: a server that is silent for longer is away, and nothing is begun that it would have to answer. */
export const AWAY_MS = 3_000;

/** As of the last look at it, of which there are several a second. */
export interface ServerState {
  /** Milliseconds since the last look began that it has answered. */
  readonly silentMs: number;
  /** Milliseconds that the last answer took. */
  readonly answerMs: number;
  /** Milliseconds that this machine's clock is ahead of the server's, as of the last answer. */
  readonly clockAheadMs: number;
  /** Milliseconds for which it has confirmed nothing of what is being written; 0 where nothing is. */
  readonly writingMs: number;
  /** Why the last look failed. */
  readonly trouble: string | undefined;
}

/** What a server says of itself, as far as it tells it its user. */
export interface ServerFacts {
  /** Such as `PostgreSQL 15.18`. */
  readonly name: string;
  /** Whether it only follows another one. */
  readonly isStandby: boolean | undefined;
  /** Whether it takes no writes for whoever asks it. */
  readonly isReadOnly: boolean;
  /** Settings that are off and without which a crash there loses what it has confirmed. */
  readonly switchedOff: readonly string[];
  readonly synchronousCommit: string | undefined;
  /** `synchronous_standby_names`: "" where it confirms what no standby has. */
  readonly synchronousStandbys: string | undefined;
  readonly standbys: readonly StandbyFacts[];
}

/** A server that has a copy. */
export interface StandbyFacts {
  readonly name: string;
  /** Such as `streaming`; absent where it is not told. */
  readonly state?: string;
  /** `sync`, `quorum`, `potential` or `async`; likewise. */
  readonly mode?: string;
  /** Milliseconds that it is behind; absent where nothing is written, too. */
  readonly lagMs?: number;
}
