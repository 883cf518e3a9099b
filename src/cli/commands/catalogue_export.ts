/**
 * `tollgate catalogue export`
 *
 * @module
 */

import type { Command } from "commander";
import { exportCatalogue } from "../../admin/catalogue/export_catalogue.ts";
import type { Cli } from "../base/cli.ts";
import { operationCommand } from "../operations/operation_command.ts";

export function catalogueExport(cli: Cli): Command {
  return operationCommand(cli, {
    operation: exportCatalogue,
    description: "Write the catalogue and the settings of projects as the file that, applied, " +
      "changes nothing. Keys are the references that they are; headers have their values, which may " +
      "be secrets.",
    example: "catalogue export > tollgate.yaml",
    async run({ admin, operation, input, options: { json } }) {
      const answer = await admin.call(operation, input);
      if (json === true) cli.printJson(answer);
      else cli.terminal.out(answer.text);
    },
  });
}
