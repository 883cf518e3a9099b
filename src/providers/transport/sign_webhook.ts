/**
 * Signatures by the Standard Webhooks specification (standardwebhooks.com,
 * version 1), which OpenAI's SDKs check with `webhooks.unwrap`.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import type { WebhookSecret } from "../../domain/webhook.ts";

/** What is signed. */
export interface SignedContent {
  /** `webhook-id` */
  readonly id: string;
  /** `webhook-timestamp`: Unix time in seconds. */
  readonly timestamp: number;
  readonly body: string;
}

const PREFIX = "whsec_";

/**
 * The value of `webhook-signature`: one signature, and one more by the secret
 * before while that is still good, separated by a blank.
 */
export function signWebhook(
  content: SignedContent,
  secret: Pick<WebhookSecret, "secret" | "previous">,
  nowMs: number,
): string {
  const { previous } = secret;
  const secrets = [secret.secret];
  if (previous !== undefined && previous.until > nowMs) secrets.push(previous.secret);
  return secrets.map((one) => `v1,${hmac(content, one)}`).join(" ");
}

function hmac({ id, timestamp, body }: SignedContent, secret: string): string {
  const key = Uint8Array.from(
    atob(secret.slice(PREFIX.length)),
    (character) => character.charCodeAt(0),
  );
  return createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
}
