/**
 * A signed message to a receiver of the operator's or of a project's, by the Standard Webhooks
 * specification: what webhooks are sent by, and what the guard is asked by.
 *
 * @module
 */

import { signWebhook } from "./sign_webhook.ts";
import type { WebhookSecret } from "../../domain/webhook.ts";
import type { Transport, UpstreamRequest, UpstreamResponse } from "./contract.ts";

/** One message. */
export interface SignedPost extends Pick<UpstreamRequest, "url" | "peer" | "timeouts"> {
  /** `webhook-id`: who gets a message twice knows it by that. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** Each signs, so that who knows one of them can check it; without any it is unsigned. */
  readonly secrets: readonly Pick<WebhookSecret, "secret" | "previous">[];
  /** Milliseconds since the epoch: when it is sent, and which of a secret's values are good. */
  readonly now: number;
  /** Whether it may go to a loopback or private address. */
  readonly allowsPrivate: boolean;
}

/**
 * Sends it, once.
 *
 * @throws {UpstreamError} Where nothing answers, or nobody may ask that address.
 */
export function postSigned(
  transport: Transport,
  { id, body, secrets, now, allowsPrivate, ...request }: SignedPost,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const timestamp = Math.floor(now / 1_000);
  const signature = secrets.map((secret) => signWebhook({ id, timestamp, body }, secret, now))
    .join(" ");
  return transport.request({
    ...request,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "tollgate",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      ...(signature !== "" && { "webhook-signature": signature }),
    },
    body,
    addresses: allowsPrivate ? "any" : "public",
    stream: false,
  }, signal);
}
