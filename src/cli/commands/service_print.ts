/**
 * `tollgate service print`
 *
 * @module
 */

import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { CommandFailure } from "../failure.ts";
import { checkExecutable, COPY_PATH, ownExecutable } from "../systemd/installed_executable.ts";
import { addUnitOptions, planUnit, type UnitOptions } from "../systemd/unit_options.ts";
import { unitText } from "../systemd/unit_text.ts";

/** Makes the command. */
export function servicePrint(cli: Cli): Command {
  const command = cli.command("print", {
    summary: "Print the systemd unit that install would write",
    example: "service print --listen 0.0.0.0:8080 > tollgate.service",
  });
  return addUnitOptions(command).action(async (options: UnitOptions) => {
    const plan = await planUnit(options, { cli, executable: printedExecutable(cli) });
    cli.terminal.out(unitText(plan));
  });
}

function printedExecutable(cli: Cli): string {
  const own = ownExecutable();
  try {
    return own === undefined ? COPY_PATH : checkExecutable(own);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    cli.warn([`${error.message}; the unit below is that of install --copy`]);
    return COPY_PATH;
  }
}
