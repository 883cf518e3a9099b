/**
 * `tollgate keys set KEY_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { setKey } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { CommandFailure, EXIT_USAGE } from "../failure.ts";
import { addBudgetOptions, type BudgetOptions, budgetsOf } from "./budget_options.ts";
import { keyFacts } from "./key_output.ts";
import { addLimitOptions, type LimitOptions, limitsOf, parseList } from "./limit_options.ts";

interface SetOptions extends CommonOptions, LimitOptions, BudgetOptions {
  readonly name?: string;
  readonly models?: readonly string[];
  readonly expires?: string;
}

/** Makes the command. */
export function keysSet(cli: Cli): Command {
  const command = cli.adminCommand("set", {
    summary: "Change settings of a key",
    description: "Change the settings that are named; the others, and the key itself, stay.",
    example: "keys set key_x3yk2q --daily-budget 5.00 --expires never",
  })
    .argument("<key-id>", "id of the key, or how its id or the key itself begins")
    .option("--name <text>", "what the key is for")
    .option("--models <patterns>", "only these of the project's models, or all", parseList)
    .option("--expires <when>", "date, time with zone, duration (12h, 30d), or never");
  addLimitOptions(command, { removable: true });
  return addBudgetOptions(command, { removable: true })
    .action((keyId: string, options: SetOptions) => {
      const changes = changesOf(options);
      if (Object.keys(changes).length === 0) {
        throw new CommandFailure(
          "Nothing to change: name a setting, see `tollgate keys set --help`",
          { exitCode: EXIT_USAGE },
        );
      }
      return cli.administer(options, async (admin) => {
        const { warnings, ...key } = await admin.call(setKey, { key_id: keyId, ...changes });
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
