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
  type ProjectRow,
  resumeProject,
  setProject,
  showProject,
} from "../../admin/accounts/projects.ts";
import { forgetPrompts } from "../../admin/call_content.ts";
import { rotateWebhookSecret } from "../../admin/accounts/webhook_secret.ts";
import type { Cli } from "../base/cli.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";
import type { Column, Facts } from "../base/table.ts";
import { budgetsText, limitsText, spendingFacts, spendState } from "./account_output.ts";

export function projects(cli: Cli): readonly Command[] {
  return [
    factsCommand(cli, {
      operation: createProject,
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
      example: "projects list --json",
      columns: () => PROJECT_COLUMNS,
      none: "No projects yet: tollgate projects create ID",
    }),
    factsCommand(cli, {
      operation: showProject,
      example: "projects show shop",
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: setProject,
      summary: "Change settings of a project",
      description: "Change the settings that are named; the others stay.",
      example: "projects set shop --requests-per-minute 600 --concurrent none",
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: creditProject,
      example: "projects credit shop 25.00 --reference invoice-1047",
      args: { project: "<id>", amount: "<amount>" },
      facts: ({ repeated, credited, balance, currency }) => [
        ["credited", repeated ? "nothing" : `${credited} ${currency}`],
        ["balance", `${balance} ${currency}`],
      ],
      notes: ({ repeated, reference }) =>
        repeated ? [`Reference '${reference}' was credited before`] : [],
    }),
    factsCommand(cli, {
      operation: enableProject,
      example: "projects enable shop",
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: disableProject,
      example: "projects disable shop",
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: resumeProject,
      description:
        "End a pause by the spend brake, and begin every budget anew that is reached: what was " +
        "spent until now counts no more against it.",
      example: "projects resume shop",
      facts: projectFacts,
    }),
    factsCommand(cli, {
      operation: rotateWebhookSecret,
      description:
        "Make a new secret that a project's webhooks are signed with, and show it, this " +
        "once. Each run makes another one. For 24 hours messages carry a signature by the one " +
        "before too, so that receivers can change theirs without losing any.",
      example: "projects webhook-secret shop",
      facts: ({ secret, project }) => [["secret", secret], ["project", project]],
      say: ({ previous_until: until }) => [
        "The secret is shown this once: keep it now",
        ...(until === null ? [] : [`The one before signs too until ${until}`]),
      ],
    }),
    factsCommand(cli, {
      operation: forgetPrompts,
      description:
        "Delete everything that is kept of what a project's calls said, now. Calls from then on are " +
        "kept as its --prompt-days say: take these away to keep no more.",
      example: "projects forget-prompts shop",
      facts: ({ project, bytes }) => [["project", project], ["freed", sizeText(bytes)]],
    }),
  ];
}

/** The columns of `projects list`. */
const PROJECT_COLUMNS: readonly Column<ProjectRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "BALANCE", value: (row) => row.unlimited ? "unlimited" : row.balance, align: "right" },
  { header: "HELD", value: ({ held }) => held, align: "right" },
  { header: "STATUS", value: spendState },
  { header: "MODELS", value: ({ models }) => models.join(",") },
  { header: "LIMITS", value: ({ limits }) => limitsText(limits) },
  { header: "BUDGETS", value: budgetsText },
  { header: "KEPT", value: keptText, align: "right" },
  { header: "FILM QUOTA", value: (row) => ownVideoQuota(row) ?? "-", align: "right" },
];

/** A project, fact by fact. */
function projectFacts(row: ProjectRow): Facts {
  return [
    ["id", row.id],
    ["balance", `${row.balance} ${row.currency}${row.unlimited ? " (unlimited)" : ""}`],
    ["held", row.held],
    ...spendingFacts(row),
    ["models", row.models.join(",")],
    ["limits", limitsText(row.limits)],
    ["kept", keptText(row)],
    ["quotas", quotasText(row)],
  ];
}

/** What is kept of its answers, and at most would be: `3 KiB of 256 MiB`. */
function keptText({ kept }: ProjectRow): string {
  return `${sizeText(kept.bytes)} of ${boundText(kept.most_bytes)}`;
}

/** What its films may take where that is said of this project; `undefined` where it is not. */
function ownVideoQuota({ quotas: { video_bytes: films } }: ProjectRow): string | undefined {
  return films === undefined ? undefined : boundText(films);
}

/** Quotas of its own, such as `1 GiB of answers, 50 GB of films`; `-` for none. */
function quotasText(row: ProjectRow): string {
  const { kept_bytes: kept, file_bytes: files } = row.quotas;
  const { cache_seconds: cached, cache_bytes: ofCache } = row.quotas;
  const { prompt_days: days, prompt_bytes: ofPrompts, redact } = row.quotas;
  const films = ownVideoQuota(row);
  const parts = [
    ...(kept === undefined ? [] : [`${boundText(kept)} of answers`]),
    ...(films === undefined ? [] : [`${films} of films`]),
    ...(files === undefined ? [] : [`${boundText(files)} of files`]),
    ...(cached === undefined ? [] : [`answers given again for ${cached} s`]),
    ...(ofCache === undefined ? [] : [`${boundText(ofCache)} of these`]),
    ...(days === undefined ? [] : [`prompts kept for ${days} days`]),
    ...(ofPrompts === undefined ? [] : [`${boundText(ofPrompts)} of prompts`]),
    ...(redact === undefined ? [] : [`redacted: ${redact.join(" ")}`]),
  ];
  return parts.length === 0 ? "-" : parts.join(", ");
}

const KIB = 1024;

const UNITS: readonly (readonly [unit: string, bytes: number])[] = [
  ...["TiB", "GiB", "MiB", "KiB"].map((unit, at) => [unit, KIB ** (4 - at)] as const),
  ...["TB", "GB", "MB", "kB"].map((unit, at) => [unit, 1000 ** (4 - at)] as const),
];

/** A bound as somebody has set it: in the unit that leaves the fewest of them, and nothing over. */
function boundText(bytes: number): string {
  const whole = UNITS.filter(([, unit]) => bytes > 0 && bytes % unit === 0)
    .toSorted(([, a], [, b]) => b - a);
  const [unit, size] = whole[0] ?? ["B", 1];
  return `${bytes / size} ${unit}`;
}

/** In whole KiB and MiB, nothing of it hidden by rounding. */
function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  return bytes < KIB ** 2 ? `${Math.ceil(bytes / KIB)} KiB` : `${Math.ceil(bytes / KIB ** 2)} MiB`;
}
