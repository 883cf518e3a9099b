/**
 * A webhook's message, as it is shown: never what it is signed with, nor what its receiver says.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { triesLeft, type WebhookMessage } from "../../domain/webhook.ts";
import type { ChangeOrigin } from "./deps.ts";
import { shownCount, shownTime, timeToJson } from "./fields.ts";
import { runsGateway } from "./shown_path.ts";

/** What became of a message. */
export const WEBHOOK_STATES = [
  "waiting",
  "delivered",
  "given_up",
] as const satisfies readonly WebhookMessage["state"][];

export const shownWebhook = z.object({
  id: z.string().describe("The `webhook-id`, the same on every try"),
  project: z.string(),
  video: z.string(),
  event: z.enum(["video.completed", "video.failed"]),
  receiver: z.string().describe("Whom it goes to, without path and query: they may hold a secret"),
  created_at: shownTime,
  state: z.enum(WEBHOOK_STATES).describe("given_up: no try is left, or none could arrive"),
  tries: shownCount.describe("Made so far"),
  tries_left: shownCount.describe("Until it is given up; 0 once it waits no more"),
  next_try_at: shownTime.nullable().describe("null once it waits no more"),
  last_tries: z.array(z.object({
    at: shownTime,
    milliseconds: shownCount,
    status: z.int().nullable().describe("What the receiver answered; null where nothing did"),
    error: z.string().nullable().describe(
      "Why it did not arrive; null where it has, and to members where nothing answered",
    ),
  })).describe("Oldest first, at most 20; none of those that an earlier version made"),
});

export type ShownWebhook = Shown<typeof shownWebhook>;

/**
 * A message as it is shown. Why nothing answered tells of the gateway's network: members, who say
 * themselves what is called, are told that alone.
 */
export function shownWebhookOf(
  { origin: { rights } }: { readonly origin: Pick<ChangeOrigin, "rights"> },
  message: WebhookMessage,
): ShownWebhook {
  const isMember = rights.role === "member";
  return {
    id: message.id,
    project: message.projectId,
    video: message.videoId,
    event: message.event,
    receiver: receiverOf(message.url),
    created_at: timeToJson(message.createdAt),
    state: message.state,
    tries: message.tries,
    tries_left: triesLeft(message),
    next_try_at: message.state === "waiting" ? timeToJson(message.nextAt) : null,
    last_tries: message.lastTries.map(({ at, milliseconds, status, error }) => ({
      at: timeToJson(at),
      milliseconds,
      status,
      error: isMember && status === null ? null : error,
    })),
  };
}

/** Whom a callback URL leads to: its path and query may hold a secret, and so may what stands before its host. */
export function receiverOf(url: string): string {
  return new URL(url).origin;
}

/** A callback URL: whole to operators and owners, to everybody else whom it leads to. */
export function shownCallback(origin: Pick<ChangeOrigin, "rights">, url: string): string {
  return runsGateway(origin) ? url : receiverOf(url);
}
