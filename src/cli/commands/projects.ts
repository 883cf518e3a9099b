/**
 * `tollgate projects …`
 *
 * @module
 */

import type { Command } from "commander";
import { creditProject } from "../../admin/accounts/credit_project.ts";
import {
  createProject,
  disableProject,
  enableProject,
  listProjects,
  setProject,
  showProject,
} from "../../admin/accounts/projects.ts";
import { resumeProject } from "../../admin/accounts/projects.ts";
import { rotateWebhookSecret } from "../../admin/accounts/webhook_secret.ts";
import type { Cli } from "../base/cli.ts";
import { listCommand } from "../operations/list_command.ts";
import { factsCommand } from "../operations/operation_command.ts";
import { PROJECT_COLUMNS, projectFacts } from "./project_output.ts";

const ID = { project: "<id>" };

/** Makes the commands. */
export function projects(cli: Cli): readonly Command[] {
  return [
    factsCommand(cli, {
      operation: createProject,
      summary: "Create a project",
      description:
        "Create a project. It starts with a balance of 0: credit it, or make it unlimited.",
      example: "projects create shop --models 'gpt-*,echo-1'",
      args: { id: "<id>" },
      mayCreate: true,
      facts: projectFacts,
      say: ({ id }) => [`Next: tollgate keys create --project ${id}`],
    }),
    listCommand(cli, {
      operation: listProjects,
      summary: "List projects with their balances",
      example: "projects list --json",
      columns: () => PROJECT_COLUMNS,
      none: "No projects yet: tollgate projects create ID",
    }),
    factsCommand(cli, {
      operation: showProject,
      summary: "Show a project with its balance",
      example: "projects show shop",
      args: ID,
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: setProject,
      summary: "Change settings of a project",
      description: "Change the settings that are named; the others stay.",
      example: "projects set shop --requests-per-minute 600 --concurrent none",
      args: ID,
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: creditProject,
      summary: "Add to a project's balance",
      example: "projects credit shop 25.00 --reference invoice-1047",
      args: { ...ID, amount: "<amount>" },
      facts: ({ repeated, credited, balance, currency }) => [
        ["credited", repeated ? "nothing" : `${credited} ${currency}`],
        ["balance", `${balance} ${currency}`],
      ],
      notes: ({ repeated, reference }) =>
        repeated ? [`Reference '${reference}' was credited before`] : [],
    }),
    factsCommand(cli, {
      operation: enableProject,
      summary: "Let its keys be used again",
      example: "projects enable shop",
      args: ID,
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: disableProject,
      summary: "Refuse all of its keys, at once",
      example: "projects disable shop",
      args: ID,
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: resumeProject,
      summary: "Let it spend again after its brake or a budget",
      description:
        "End a pause by the spend brake, and begin every budget anew that is reached: what was " +
        "spent until now counts no more against it.",
      example: "projects resume shop",
      args: ID,
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: rotateWebhookSecret,
      summary: "Make a new webhook secret for a project and show it, this once",
      description:
        "Make a new secret that a project's webhooks are signed with, and show it, this " +
        "once. Each run makes another one. For 24 hours messages carry a signature by the one " +
        "before too, so that receivers can change theirs without losing any.",
      example: "projects webhook-secret shop",
      args: ID,
      facts: ({ secret, project }) => [["secret", secret], ["project", project]],
      say: ({ previous_until: until }) => [
        "The secret is shown this once: keep it now",
        ...(until === null ? [] : [`The one before signs too until ${until}`]),
      ],
    }),
  ];
}
