/**
 * `tollgate keys create`
 *
 * @module
 */

import type { Command } from "commander";
import { createKey } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { addBudgetOptions, type BudgetOptions, budgetsOf } from "./budget_options.ts";
import { addLimitOptions, type LimitOptions, limitsOf, parseList } from "./limit_options.ts";

interface CreateOptions extends CommonOptions, LimitOptions, BudgetOptions {
  readonly project: string;
  readonly name?: string;
  readonly models?: readonly string[];
  readonly expires?: string;
}

/** Makes the command. */
export function keysCreate(cli: Cli): Command {
  const command = cli.adminCommand("create", {
    summary: "Make a key for a project and show it, this once",
    example: "keys create --project shop --name web --expires 90d",
  })
    .requiredOption("--project <id>", "the project that owns and pays (required)")
    .option("--name <text>", "what the key is for")
    .option("--models <patterns>", "only these of the project's models: ids, prefix*", parseList)
    .option("--expires <when>", "date (2027-01-31), time with zone, or duration (12h, 30d)");
  addLimitOptions(command, { removable: false });
  return addBudgetOptions(command, { removable: false })
    .action((options: CreateOptions) =>
      cli.administer(options, async (admin) => {
        const { warnings, ...key } = await admin.call(createKey, {
          project: options.project,
          ...(options.name !== undefined && { name: options.name }),
          ...(options.models && { models: options.models }),
          ...(options.expires !== undefined && { expires: options.expires }),
          limits: limitsOf(options),
          budgets: budgetsOf(options),
        });
        cli.warn(warnings);
        cli.printFacts(key, {
          json: options.json,
          facts: [
            ["key", key.key],
            ["id", key.id],
            ["project", key.project],
            ["expires", key.expires_at ?? "never"],
          ],
        });
        if (options.json !== true) cli.say("The key is shown this once: keep it now");
      })
    );
}
