/**
 * Who answers a request that carries an `Idempotency-Key`, where several processes use one database.
 *
 * @module
 */

import type { IdempotencyScope } from "../../domain/idempotency.ts";

/** A request that is about to be answered. */
export interface KeyClaim {
  readonly scope: IdempotencyScope;
  readonly fingerprint: string;
  readonly requestId: string;
}

/**
 * Claims of keys. Each rejects with the gateway's `storage_away` while the database does not answer.
 * One is given up by whoever has it, by the entry that stores its answer, and by the end of its
 * session.
 */
export interface KeyClaims {
  /**
   * Claims a key for this process's session, unless another one that lives has it.
   *
   * @returns The other's claim; `undefined` where it is this session's now.
   */
  claim(claim: KeyClaim): Promise<Pick<KeyClaim, "fingerprint" | "requestId"> | undefined>;
  /** Says that somebody waits here for the answer that another session makes: for some seconds. */
  want(scope: IdempotencyScope): Promise<void>;
  /** Whether another session waits for what this one has claimed. */
  isWanted(claim: KeyClaim): Promise<boolean>;
  /** Gives a claim up, if it still is this request's. */
  free(claim: KeyClaim): Promise<void>;
}
