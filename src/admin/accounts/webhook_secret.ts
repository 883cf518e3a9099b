/**
 * The secret that a project's webhooks are signed with: made, and made anew.
 *
 * @module
 */

import * as z from "zod";
import type { WebhookSecret } from "../../domain/webhook.ts";
import { shownTime, timeToJson } from "../base/fields.ts";
import { commitChange, oneAtATime } from "../base/commit_change.ts";
import { defineOperation } from "../base/operation.ts";
import { projectField, requireProject } from "./projects.ts";

/** For how long the secret before signs too: receivers change theirs within a day. */
const PREVIOUS_MS = 86_400_000;
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

export const rotateWebhookSecret = defineOperation({
  name: "projects.webhook_secret",
  method: "POST",
  path: "/projects/{project}/webhook-secret",
  role: "operator",
  changes: "project",
  summary: "Make a new webhook secret and tell it, this once; the one before signs for 24 hours.",
  input: z.strictObject({ project: projectField }),
  output: z.object({
    project: z.string(),
    secret: z.string().describe("whsec_ and base64; told this once"),
    created_at: shownTime,
    previous_until: shownTime.nullable().describe(
      "Until when the secret before signs too; null when there was none",
    ),
  }),
  errors: ["not_found"],
  run(deps, { project: id }) {
    return oneAtATime(deps, async (deps) => {
      requireProject(deps, id);
      const before = await deps.storage.webhooks.secret(id);
      const now = deps.clock.now();
      const until = now + PREVIOUS_MS;
      const secret: WebhookSecret = {
        projectId: id,
        secret: makeSecret(),
        createdAt: now,
        previous: before && { secret: before.secret, until },
      };
      await commitChange(deps, {
        id,
        before: { webhook_secret_made: timeToJson(before?.createdAt) },
        after: { webhook_secret_made: timeToJson(now) },
        entries: [{ kind: "put_webhook_secret", secret }],
      }, {
        missing: `There is no project '${id}'`,
      });
      return {
        project: id,
        secret: secret.secret,
        created_at: timeToJson(now),
        previous_until: timeToJson(before && until),
      };
    });
  },
});

function makeSecret(): string {
  return `whsec_${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()}`;
}
