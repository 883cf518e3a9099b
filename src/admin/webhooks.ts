/**
 * Messages about films that have ended, to those who asked to be told: which arrived, and which are
 * sent again.
 *
 * @module
 */

import * as z from "zod";
import { WEBHOOK_ID, type WebhookMessage } from "../domain/webhook.ts";
import { GatewayError } from "../errors.ts";
import { heldToOwn, heldToProject } from "./accounts/own_project.ts";
import { projectField, requireProject } from "./accounts/projects.ts";
import { commitChange } from "./base/commit_change.ts";
import type { AdminDeps } from "./base/deps.ts";
import { timeToJson } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";
import { goneCursor, pageAnswer, pageFields, pageOf } from "./base/page.ts";
import { shownWebhook, shownWebhookOf, WEBHOOK_STATES } from "./base/shown_webhook.ts";

const byWebhook = z.strictObject({
  webhook_id: z.string().min(1).max(100).describe("id of the message"),
});

export const listWebhooks = defineOperation({
  name: "webhooks.list",
  method: "GET",
  path: "/webhooks",
  role: "viewer",
  summary:
    "List messages to callback URLs with their tries, newest first; those done a week ago are forgotten.",
  input: z.strictObject({
    ...pageFields,
    project: projectField.optional().describe("only this project's"),
    state: z.enum(WEBHOOK_STATES).optional().describe("only messages in it"),
  }),
  output: pageAnswer(shownWebhook),
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, { project, state, limit, after }) {
    if (project !== undefined) requireProject(deps, project);
    const last = after === undefined ? undefined : await findWebhook(deps, after);
    const isThere = last !== undefined && (project ?? last.projectId) === last.projectId;
    if (after !== undefined && !isThere) throw goneCursor("webhook", after);
    const messages = await deps.storage.webhooks.list({
      projectId: project,
      state,
      after: last,
      limit: limit + 1,
    });
    const rows = messages.map((message) => shownWebhookOf(deps, message));
    return pageOf(rows, { limit, idOf: ({ id }) => id });
  },
});

export const resendWebhook = defineOperation({
  name: "webhooks.resend",
  method: "POST",
  path: "/webhooks/{webhook_id}/resend",
  role: "operator",
  changes: "webhook",
  summary: "Send a message now, under its id, whether it waits, has arrived or was given up.",
  input: byWebhook,
  output: shownWebhook,
  errors: ["not_found", "conflict"],
  heldTo: heldToOwnWebhook,
  async run(deps, { webhook_id }) {
    const { id, projectId, state, nextAt } = await requireWebhook(deps, webhook_id);
    if (await deps.storage.webhooks.secret(projectId) === undefined) {
      throw new GatewayError(
        "conflict",
        `Message ${id} cannot be signed: make a secret with \`tollgate projects webhook-secret ${projectId}\``,
      );
    }
    const at = deps.clock.now();
    const isDue = state === "waiting" && nextAt <= at;
    if (!isDue) {
      await commitChange(deps, {
        id,
        before: { state, next_try_at: state === "waiting" ? timeToJson(nextAt) : null },
        after: { state: "waiting", next_try_at: timeToJson(at) },
        entries: [{ kind: "resend_webhook", messageId: id, at }],
      }, { missing: missingText(id) });
      deps.videos.tell();
    }
    return shownWebhookOf(deps, await requireWebhook(deps, id));
  },
});

async function findWebhook(
  { storage }: AdminDeps,
  id: string,
): Promise<WebhookMessage | undefined> {
  return WEBHOOK_ID.test(id) ? await storage.webhooks.find(id) : undefined;
}

/** @throws {GatewayError} `not_found` */
async function requireWebhook(deps: AdminDeps, id: string): Promise<WebhookMessage> {
  const message = await findWebhook(deps, id);
  if (message === undefined) throw noWebhook(id);
  return message;
}

async function heldToOwnWebhook<Input extends z.output<typeof byWebhook>>(
  project: string,
  input: Input,
  deps: AdminDeps,
): Promise<Input> {
  const { webhook_id: id } = input;
  const of = (await findWebhook(deps, id))?.projectId;
  return heldToOwn(input, { of, project, missing: () => noWebhook(id) });
}

function noWebhook(id: string): GatewayError {
  return new GatewayError("not_found", missingText(id));
}

function missingText(id: string): string {
  return `There is no webhook '${id}', or it was done a week ago: see \`tollgate webhooks list\``;
}
