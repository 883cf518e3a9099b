/**
 * Claims of `Idempotency-Key`s in the database. Each statement is a transaction of its own, and synced:
 * a claim that a crash of the server forgot would have two processes answer one request.
 *
 * @module
 */

import type { IdempotencyScope } from "../../domain/idempotency.ts";
import type { SessionId } from "../../domain/session.ts";
import { GatewayError } from "../../errors.ts";
import type { KeyClaim, KeyClaims } from "../ports/key_claims.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { SERVER_NOW } from "./sql.ts";

/** Milliseconds for which a wish for another's answer holds, by the server's clock. */
const WANTED_MS = 3_000;

const SAME_KEY = "project_id = ?1 AND path = ?2 AND key = ?3";
const LIVES = "FROM node_sessions WHERE state = 'live' AND session_id";

/**
 * A claim of this very session that is still there is left from a request that has ended here: a process
 * answers a key once at a time.
 */
const CLAIM = `WITH claimed AS (
    INSERT INTO idempotency_claims
      (project_id, path, key, fingerprint, request_id, session_id, wanted_until)
    SELECT ?1, ?2, ?3, ?4, ?5, session_id, 0 ${LIVES} = ?6
    ON CONFLICT (project_id, path, key) DO UPDATE SET fingerprint = excluded.fingerprint,
      request_id = excluded.request_id, session_id = excluded.session_id, wanted_until = 0
    WHERE idempotency_claims.session_id = excluded.session_id
      OR NOT EXISTS (SELECT 1 ${LIVES} = idempotency_claims.session_id)
    RETURNING 1 AS one)
  SELECT (SELECT count(*) FROM claimed) AS claimed, (SELECT count(*) ${LIVES} = ?6) AS lives,
    other.fingerprint, other.request_id
  FROM (SELECT 1 AS one) AS alone LEFT JOIN idempotency_claims AS other
    ON other.project_id = ?1 AND other.path = ?2 AND other.key = ?3`;

const FORGET_ENDED = `DELETE FROM idempotency_claims WHERE (project_id, path, key) IN (
    SELECT project_id, path, key FROM idempotency_claims
    WHERE NOT EXISTS (SELECT 1 ${LIVES} = idempotency_claims.session_id)
    ORDER BY project_id, path, key LIMIT ?1)`;

/** Claims of this process's session. */
export class PostgresKeyClaims implements KeyClaims {
  readonly #ask: Ask;
  readonly #session: () => SessionId;

  /** @param ask Each statement by itself. */
  constructor(ask: Ask, session: () => SessionId) {
    this.#ask = ask;
    this.#session = session;
  }

  async claim(
    claim: KeyClaim,
  ): Promise<Pick<KeyClaim, "fingerprint" | "requestId"> | undefined> {
    for (;;) {
      const row = await askClaim(this.#ask, claim, this.#session());
      if (row!.claimed === 1) return undefined;
      if (row!.lives === 0) {
        throw new GatewayError(
          "storage_away",
          "This gateway's session in its database has ended: try again shortly",
        );
      }
      // It was given up between the two looks of the statement.
      if (row!.request_id === null) continue;
      return {
        fingerprint: row!.fingerprint as string,
        requestId: row!.request_id as string,
      };
    }
  }

  async want({ projectId, path, key }: IdempotencyScope): Promise<void> {
    await this.#ask.run(
      `UPDATE idempotency_claims SET wanted_until = ${SERVER_NOW} + ${WANTED_MS}
       WHERE ${SAME_KEY} AND session_id <> ?4`,
      ...[projectId, path, key, this.#session()],
    );
  }

  async isWanted({ scope: { projectId, path, key }, requestId }: KeyClaim): Promise<boolean> {
    const row = await this.#ask.get(
      `SELECT count(*) AS n FROM idempotency_claims
       WHERE ${SAME_KEY} AND request_id = ?4 AND wanted_until > ${SERVER_NOW}`,
      ...[projectId, path, key, requestId],
    );
    return row!.n === 1;
  }

  async free({ scope: { projectId, path, key }, requestId }: KeyClaim): Promise<void> {
    await this.#ask.run(
      `DELETE FROM idempotency_claims WHERE ${SAME_KEY} AND request_id = ?4`,
      ...[projectId, path, key, requestId],
    );
  }
}

function askClaim(
  ask: Ask,
  { scope: { projectId, path, key }, fingerprint, requestId }: KeyClaim,
  session: SessionId,
): Promise<AskedRow | undefined> {
  return ask.get(CLAIM, ...[projectId, path, key, fingerprint, requestId, session]);
}

/** Whether a key is this session's now, until the transaction is over or later: no other's that lives. */
export async function takeClaim(ask: Ask, claim: KeyClaim, session: SessionId): Promise<boolean> {
  return (await askClaim(ask, claim, session))!.claimed === 1;
}

/** Removes claims of sessions that have ended; says how many. */
export function forgetEndedClaims(ask: Ask, limit: number): Promise<number> {
  return ask.run(FORGET_ENDED, limit);
}
