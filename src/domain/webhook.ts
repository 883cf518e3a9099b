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

const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const LEAST_SECRET_BYTES = 24;
const MOST_SECRET_BYTES = 64;

/** Whether a text is a signing secret by the convention, which asks for 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  const [, base64] = SECRET.exec(text) ?? [];
  if (base64 === undefined) return false;
  const bytes = atob(base64).length;
  return bytes >= LEAST_SECRET_BYTES && bytes <= MOST_SECRET_BYTES;
}

/** A project's signing secret. The one before signs too for a while after a rotation. */
export interface WebhookSecret {
  readonly projectId: string;
  /** `whsec_` and base64 of 32 random bytes. */
  readonly secret: string;
  readonly createdAt: number;
  readonly previous: { readonly secret: string; readonly until: number } | undefined;
}
