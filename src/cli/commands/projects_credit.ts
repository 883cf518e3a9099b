/**
 * `tollgate projects credit ID AMOUNT`
 *
 * @module
 */

import type { Command } from "commander";
import { creditProject } from "../../admin/credit_project.ts";
import type { Cli, CommonOptions } from "../cli.ts";

interface CreditOptions extends CommonOptions {
  readonly reference?: string;
}

/** Makes the command. */
export function projectsCredit(cli: Cli): Command {
  return cli.adminCommand("credit", {
    summary: "Add to a project's balance",
    example: "projects credit shop 25.00 --reference invoice-1047",
  })
    .argument("<id>", "the project")
    .argument("<amount>", "decimal number in the catalogue's currency, such as 25.00")
    .option("--reference <text>", "makes it safe to repeat: one reference credits once")
    .action((id: string, amount: string, options: CreditOptions) =>
      cli.administer(options, async (admin) => {
        const answer = await admin.call(creditProject, {
          project: id,
          amount,
          ...(options.reference !== undefined && { reference: options.reference }),
        });
        cli.printFacts(answer, {
          json: options.json,
          facts: [
            ["credited", answer.repeated ? "nothing" : `${answer.credited} ${answer.currency}`],
            ["balance", `${answer.balance} ${answer.currency}`],
          ],
        });
        if (answer.repeated) cli.say(`Reference '${answer.reference}' was credited before`);
      })
    );
}
