/**
 * `tollgate projects webhook-secret ID`
 *
 * @module
 */

import type { Command } from "commander";
import { rotateWebhookSecret } from "../../admin/webhook_secret.ts";
import type { Cli, CommonOptions } from "../cli.ts";

/** Makes the command. */
export function projectsWebhookSecret(cli: Cli): Command {
  return cli.adminCommand("webhook-secret", {
    summary: "Make a new webhook secret for a project and show it, this once",
    description: "Make a new secret that a project's webhooks are signed with, and show it, this " +
      "once. Each run makes another one. For 24 hours messages carry a signature by the one " +
      "before too, so that receivers can change theirs without losing any.",
    example: "projects webhook-secret shop",
  })
    .argument("<id>", "the project")
    .action((id: string, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const answer = await admin.call(rotateWebhookSecret, { project: id });
        cli.printFacts(answer, {
          json: options.json,
          facts: [["secret", answer.secret], ["project", answer.project]],
        });
        if (options.json === true) return;
        cli.say("The secret is shown this once: keep it now");
        if (answer.previous_until !== null) {
          cli.say(`The one before signs too until ${answer.previous_until}`);
        }
      })
    );
}
