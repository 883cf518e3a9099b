/**
 * `tollgate projects create ID`
 *
 * @module
 */

import type { Command } from "commander";
import { createProject } from "../../admin/projects.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { addBudgetOptions, type BudgetOptions, budgetsOf } from "./budget_options.ts";
import { addLimitOptions, type LimitOptions, limitsOf, parseList } from "./limit_options.ts";
import { addQuotaOptions, type QuotaOptions, quotasOf } from "./quota_options.ts";
import { projectFacts } from "./project_output.ts";

interface CreateOptions extends CommonOptions, LimitOptions, BudgetOptions, QuotaOptions {
  readonly unlimited?: true;
  readonly models?: readonly string[];
}

/** Makes the command. */
export function projectsCreate(cli: Cli): Command {
  const command = cli.adminCommand("create", {
    summary: "Create a project",
    description:
      "Create a project. It starts with a balance of 0: credit it, or make it unlimited.",
    example: "projects create shop --models 'gpt-*,echo-1'",
  })
    .argument("<id>", "lower-case letters, digits, '.', '_', '-'")
    .option("--unlimited", "meter and price its calls, never charge them")
    .option("--models <patterns>", "models it may use: ids, prefix*, * (default: *)", parseList);
  addLimitOptions(command, { removable: false });
  addBudgetOptions(command, { removable: false });
  return addQuotaOptions(command, { removable: false })
    .action((id: string, options: CreateOptions) =>
      cli.administer(options, async (admin) => {
        const { warnings, ...project } = await admin.call(createProject, {
          id,
          ...(options.unlimited && { unlimited: true }),
          ...(options.models && { models: options.models }),
          limits: limitsOf(options),
          budgets: budgetsOf(options),
          quotas: quotasOf(options),
        });
        cli.warn(warnings);
        cli.printFacts(project, { json: options.json, facts: projectFacts(project) });
        if (options.json !== true) cli.say(`Next: tollgate keys create --project ${id}`);
      }, { mayCreate: true })
    );
}
