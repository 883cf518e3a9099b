/**
 * `tollgate console`
 *
 * @module
 */

import type { Command } from "commander";
import { linkConsole } from "../../admin/console_link.ts";
import type { Cli } from "../base/cli.ts";
import { operationCommand } from "../operations/operation_command.ts";

export function consoleCommand(cli: Cli): Command {
  return operationCommand(cli, {
    operation: linkConsole,
    name: "console",
    summary: "Print a link that signs you in at the console",
    description:
      "Print a link that signs you in at the console of the running server, once, within " +
      "ten minutes. From another machine, reach the address by a tunnel: " +
      "ssh -L 8080:127.0.0.1:8080 HOST.",
    example: "console --role viewer",
    async run({ admin, operation, input, options: { json } }) {
      const answer = await admin.call(operation, input);
      if (json === true) return cli.printJson(answer);
      cli.terminal.out(`${answer.url}\n`);
      cli.say(`Good for one sign-in until ${answer.expires_at.slice(11, 16)} UTC`);
    },
  });
}
