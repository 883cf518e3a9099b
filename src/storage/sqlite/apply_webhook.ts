/**
 * Entries about the outbox and the signing secrets.
 *
 * @module
 */

import type { WebhookMessage, WebhookSecret } from "../../domain/webhook.ts";
import type { EntryResult } from "../ports/entry.ts";
import type { Batch } from "./batch.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import type { SqliteWebhookStore } from "./webhook_store.ts";

/** Notes a try of a message that waits. */
export function applyChangeWebhook(
  message: WebhookMessage,
  webhooks: SqliteWebhookStore,
): EntryResult {
  if (webhooks.noteTry(message)) return DONE;
  const stored = webhooks.find(message.id);
  if (stored === undefined) return missing("webhook message", message.id);
  return conflict(
    `Message '${message.id}' cannot be ${message.state} after ${message.tries} tries: it is ${stored.state} after ${stored.tries}`,
  );
}

/** Replaces a project's signing secret. */
export function applyPutWebhookSecret(
  batch: Batch,
  secret: WebhookSecret,
  webhooks: SqliteWebhookStore,
): EntryResult {
  if (batch.balance(secret.projectId) === undefined) return missing("project", secret.projectId);
  webhooks.putSecret(secret);
  return DONE;
}
