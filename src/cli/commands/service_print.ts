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
import { UNIT_PATH, unitText } from "../systemd/unit_text.ts";

interface PrintOptions extends UnitOptions {
  readonly json?: boolean;
}

/** Makes the command. */
export function servicePrint(cli: Cli): Command {
  const command = cli.command("print", {
    summary: "Print the systemd unit that install would write",
    example: "service print --listen 0.0.0.0:8080 > tollgate.service",
  })
    .option("--json", "print JSON");
  return addUnitOptions(command).action(async (options: PrintOptions) => {
    const plan = await planUnit(options, { cli, executable: printedExecutable(cli) });
    const text = unitText(plan);
    if (options.json === true) cli.printJson({ unit: UNIT_PATH, text });
    else cli.terminal.out(text);
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
