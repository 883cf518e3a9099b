/**
 * Entries about the outbox and the signing secrets.
 *
 * @module
 */

import type { Appliers } from "./applier.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";

export const WEBHOOK_APPLIERS: Appliers<
  "change_webhook" | "resend_webhook" | "put_webhook_secret"
> = {
  change_webhook(_batch, { message }, { webhooks }) {
    if (webhooks.noteTry(message)) return DONE;
    const stored = webhooks.find(message.id);
    if (stored === undefined) return missing("webhook message", message.id);
    return conflict(
      `Message '${message.id}' cannot be ${message.state} after ${message.tries} tries: it is ${stored.state} after ${stored.tries}`,
    );
  },
  resend_webhook(_batch, { messageId, at }, { webhooks }) {
    return webhooks.resend(messageId, at) ? DONE : missing("webhook message", messageId);
  },
  put_webhook_secret(batch, { secret }, { webhooks }) {
    if (batch.balance(secret.projectId) === undefined) return missing("project", secret.projectId);
    webhooks.putSecret(secret);
    return DONE;
  },
};
