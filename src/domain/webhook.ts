/**
 * Signed notices of finished video tasks, by the Standard Webhooks convention.
 *
 * @module
 */

/** What is told. */
export type WebhookEvent = "video.completed" | "video.failed";

/** One try to deliver a message. */
export interface WebhookDelivery {
  /** When it began. */
  readonly at: number;
  /** How long it took. */
  readonly milliseconds: number;
  /** What the receiver answered; null where nothing did. */
  readonly status: number | null;
  /** Why it did not arrive; null where it has. Without secrets, and without what was answered. */
  readonly error: string | null;
}

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
  /** Tries made before the round at hand: who has it sent again begins a new one. */
  readonly roundFrom: number;
  /** The last {@linkcode MOST_LAST_TRIES} tries, oldest first. */
  readonly lastTries: readonly WebhookDelivery[];
}

/** Anything else is not looked for: not every text is fit for a database. */
export const WEBHOOK_ID = /^evt_[a-z2-7]{26}$/;

/** Two rounds and a bit: what an operator looks at who has it sent again. */
export const MOST_LAST_TRIES = 20;

/** Waits before the second, third … try of a round; after the last one a message is given up. */
const WAITS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000];

/** Milliseconds from a try that fails now until the next one; `undefined` for the round's last. */
export function waitBehind({ tries, roundFrom }: WebhookMessage): number | undefined {
  return WAITS_MS[tries - roundFrom];
}

/** How often a message is tried yet if no try arrives; 0 for one that does not wait. */
export function triesLeft({ state, tries, roundFrom }: WebhookMessage): number {
  return state === "waiting" ? Math.max(1, WAITS_MS.length + 1 - (tries - roundFrom)) : 0;
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
