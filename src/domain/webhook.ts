/**
 * Signed notices of finished video tasks, by the Standard Webhooks convention.
 *
 * @module
 */

/** What is told. */
export type WebhookEvent = "video.completed" | "video.failed";

/** A message in the outbox. All times are milliseconds since the epoch. */
export interface WebhookMessage {
  /** `evt_` and 26 characters of base32: the `webhook-id`, the same on every try. */
  readonly id: string;
  readonly projectId: string;
  readonly event: WebhookEvent;
  readonly videoId: string;
  readonly url: string;
  readonly createdAt: number;
  /** Tries made so far; every write compares it. */
  readonly tries: number;
  readonly state: "waiting" | "delivered" | "given_up";
  /** When it is tried next. */
  readonly nextAt: number;
  /** Why the last try failed; without secrets. */
  readonly lastError: string | undefined;
}

/** A project's signing secret. The one before signs too for a while after a rotation. */
export interface WebhookSecret {
  readonly projectId: string;
  /** `whsec_` and base64 of 32 random bytes. */
  readonly secret: string;
  readonly createdAt: number;
  readonly previous: { readonly secret: string; readonly until: number } | undefined;
}
