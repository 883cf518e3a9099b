/**
 * Answers of the Responses API that are kept, to be asked for again and to be
 * gone on from.
 *
 * @module
 */

/** OpenAI's words, as far as they occur here. */
export type ResponseStatus =
  | "queued"
  | "in_progress"
  | "completed"
  | "incomplete"
  | "failed"
  | "cancelled";

/** A kept answer. Times are milliseconds since the epoch. */
export interface StoredResponse {
  /** `resp_` and 40 characters of base32. */
  readonly id: string;
  /** The call that made it: its order among a project's. */
  readonly callId: number;
  readonly projectId: string;
  readonly status: ResponseStatus;
  /** Whether it was asked for with `background: true`. */
  readonly isBackground: boolean;
  /** The answer that it went on from. */
  readonly previousId: string | undefined;
  /** Its own input items, without those of earlier answers: JSON, a list. */
  readonly input: string;
  /** The Response object as its caller saw it: JSON. */
  readonly body: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}
