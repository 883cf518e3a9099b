/**
 * Answers that are given again to a repeated request.
 *
 * @module
 */

/** What makes two requests the same one. */
export interface IdempotencyScope {
  readonly projectId: string;
  /** Without its prefix (`/v1`, `/api/gateway/v1`): both are one path. */
  readonly path: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
}

/** The stored answer of a finished request. Times are milliseconds since the epoch. */
export interface IdempotencyRecord extends IdempotencyScope {
  /** SHA-256 of the canonical parsed body, lower-case hex. */
  readonly fingerprint: string;
  readonly status: number;
  /** The answer's body as sent. */
  readonly body: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}
