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

/** Who served a stream, as its head says. */
export interface StreamSource {
  readonly provider: string;
  readonly route: string;
}

/** The stored answer of a finished request. Times are milliseconds since the epoch. */
export interface IdempotencyRecord extends IdempotencyScope {
  /** SHA-256 of the canonical parsed body, lower-case hex. */
  readonly fingerprint: string;
  /** Id of the request that was answered first. */
  readonly requestId: string;
  readonly status: number;
  /** The answer's body as sent; `undefined` for one that was not kept, as it was too large or there was no room. */
  readonly body: string | undefined;
  /** Of an event stream; `undefined` for JSON. */
  readonly stream: StreamSource | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  /**
   * What the cache of its project may take, in bytes, of an answer that any equal request gets; absent
   * of one that an `Idempotency-Key` asks for again. Not stored.
   */
  readonly cacheBytes?: number;
}
