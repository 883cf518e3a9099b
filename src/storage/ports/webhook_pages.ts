/**
 * Lists of the outbox's messages, page by page.
 *
 * @module
 */

import type { WebhookMessage } from "../../domain/webhook.ts";

/** A page of messages, newest first. */
export interface WebhookPage {
  /** `undefined` for all projects. */
  readonly projectId: string | undefined;
  readonly state: WebhookMessage["state"] | undefined;
  /** The message that the page comes after. */
  readonly after: Pick<WebhookMessage, "id" | "createdAt"> | undefined;
  readonly limit: number;
}
