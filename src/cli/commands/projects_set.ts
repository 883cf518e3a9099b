/**
 * `tollgate projects set ID`
 *
 * @module
 */

import type { Command } from "commander";
import { setProject } from "../../admin/projects.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { CommandFailure, EXIT_USAGE } from "../failure.ts";
import { addBudgetOptions, type BudgetOptions, budgetsOf } from "./budget_options.ts";
import { addLimitOptions, type LimitOptions, limitsOf, parseList } from "./limit_options.ts";
import { addQuotaOptions, type QuotaOptions, quotasOf } from "./quota_options.ts";
import { projectFacts } from "./project_output.ts";

interface SetOptions extends CommonOptions, LimitOptions, BudgetOptions, QuotaOptions {
  readonly unlimited?: boolean;
  readonly models?: readonly string[];
}

/** Makes the command. */
export function projectsSet(cli: Cli): Command {
  const command = cli.adminCommand("set", {
    summary: "Change settings of a project",
    description: "Change the settings that are named; the others stay.",
    example: "projects set shop --requests-per-minute 600 --concurrent none",
  })
    .argument("<id>", "the project")
    .option("--unlimited", "meter and price its calls, never charge them")
    .option("--no-unlimited", "charge its calls to its balance")
    .option("--models <patterns>", "models it may use: ids, prefix*, *", parseList);
  addLimitOptions(command, { removable: true });
  addBudgetOptions(command, { removable: true });
  return addQuotaOptions(command, { removable: true })
    .action((id: string, options: SetOptions) => {
      const limits = limitsOf(options);
      const budgets = budgetsOf(options);
      const quotas = quotasOf(options);
      const changes = {
        ...(options.unlimited !== undefined && { unlimited: options.unlimited }),
        ...(options.models && { models: options.models }),
        ...(Object.keys(limits).length > 0 && { limits }),
        ...(Object.keys(budgets).length > 0 && { budgets }),
        ...(Object.keys(quotas).length > 0 && { quotas }),
      };
      if (Object.keys(changes).length === 0) {
        throw new CommandFailure(
          "Nothing to change: name a setting, see `tollgate projects set --help`",
          { exitCode: EXIT_USAGE },
        );
      }
      return cli.administer(options, async (admin) => {
        const { warnings, ...project } = await admin.call(setProject, { project: id, ...changes });
        cli.warn(warnings);
        cli.printFacts(project, { json: options.json, facts: projectFacts(project) });
      });
    });
}
