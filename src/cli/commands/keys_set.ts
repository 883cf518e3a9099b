/**
 * `tollgate keys set KEY_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { setKey } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { CommandFailure, EXIT_USAGE } from "../failure.ts";
import { addKeyArgument, type NamedKeyOptions, nameKey } from "../name_key.ts";
import { addBudgetOptions, type BudgetOptions, budgetsOf } from "./budget_options.ts";
import { keyFacts } from "./key_output.ts";
import { addLimitOptions, type LimitOptions, limitsOf, parseList } from "./limit_options.ts";

interface SetOptions extends CommonOptions, NamedKeyOptions, LimitOptions, BudgetOptions {
  readonly name?: string;
  readonly models?: readonly string[];
  readonly expires?: string;
}

/** Makes the command. */
export function keysSet(cli: Cli): Command {
  const command = addKeyArgument(cli.adminCommand("set", {
    summary: "Change settings of a key",
    description: "Change the settings that are named; the others, and the key itself, stay.",
    example: "keys set key_x3yk2qvu7w5a --daily-budget 5.00 --expires never",
  }))
    .option("--name <text>", "what the key is for")
    .option("--models <patterns>", "only these of the project's models, or all", parseList)
    .option("--expires <when>", "date, time with zone, duration (12h, 30d), or never");
  addLimitOptions(command, { removable: true });
  return addBudgetOptions(command, { removable: true })
    .action((beginning: string, options: SetOptions) => {
      const changes = changesOf(options);
      if (Object.keys(changes).length === 0) {
        throw new CommandFailure(
          "Nothing to change: name a setting, see `tollgate keys set --help`",
          { exitCode: EXIT_USAGE },
        );
      }
      return cli.administer(options, async (admin) => {
        const key_id = await nameKey(cli, admin, { name: beginning, yes: options.yes });
        const { warnings, ...key } = await admin.call(setKey, { key_id, ...changes });
        cli.warn(warnings);
        cli.printFacts(key, { json: options.json, facts: keyFacts(key) });
      });
    });
}

function changesOf(options: SetOptions): object {
  const { name, models, expires } = options;
  const limits = limitsOf(options);
  const budgets = budgetsOf(options);
  return {
    ...(name !== undefined && { name }),
    ...(models && { models: models.length === 1 && models[0] === "all" ? null : models }),
    ...(expires !== undefined && { expires: expires === "never" ? null : expires }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(budgets).length > 0 && { budgets }),
  };
}
