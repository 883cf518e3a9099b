/**
 * The outbox and the signing secrets as rows.
 *
 * @module
 */

import type { WebhookDelivery, WebhookMessage, WebhookSecret } from "../../domain/webhook.ts";
import { freeText, group, integer, json, orNone, RowOf, text } from "./row_of.ts";

export const MESSAGE = new RowOf<WebhookMessage>({
  id: text(),
  projectId: text(),
  event: text(),
  videoId: text(),
  url: text(),
  createdAt: integer(),
  tries: integer(),
  state: text(),
  nextAt: integer(),
  lastError: orNone(freeText()),
  roundFrom: integer(),
  lastTries: json<readonly WebhookDelivery[]>(),
});

export const SECRET = new RowOf<WebhookSecret>({
  projectId: text(),
  secret: text(),
  createdAt: integer(),
  previous: orNone(group<NonNullable<WebhookSecret["previous"]>>({
    secret: text(),
    until: integer(),
  })),
});
