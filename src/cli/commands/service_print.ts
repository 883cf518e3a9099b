/**
 * `tollgate service print`
 *
 * @module
 */

import type { Command } from "commander";
import type { Cli } from "../base/cli.ts";
import { CommandFailure } from "../base/failure.ts";
import { checkExecutable, COPY_PATH, ownExecutable } from "../systemd/installed_executable.ts";
import { addUnitOptions, planUnit, type UnitOptions } from "../systemd/unit_options.ts";
import { UNIT_PATH, unitText } from "../systemd/unit_text.ts";

interface PrintOptions extends UnitOptions {
  readonly copy?: boolean;
  readonly json?: boolean;
}

/** Makes the command. */
export function servicePrint(cli: Cli): Command {
  const command = cli.command("print", {
    summary: "Print the systemd unit that install would write",
    example: "service print --listen 0.0.0.0:8080 > tollgate.service",
  })
    .option("--copy", `The unit that runs a copy of this executable, ${COPY_PATH}.`)
    .option("--json", "print JSON");
  return addUnitOptions(command).action(async (options: PrintOptions) => {
    const { executable, reason } = options.copy === true
      ? { executable: COPY_PATH }
      : printedExecutable();
    const text = unitText(await planUnit(options, { cli, executable }));
    if (options.json === true) cli.printJson({ unit: UNIT_PATH, text });
    else cli.terminal.out(text);
    // Once there is a unit to speak of, and behind it, where it is seen.
    if (reason !== undefined) {
      cli.warn([`The unit that was printed is that of service install --copy: ${reason}`]);
    }
  });
}

/** What the unit runs; with the reason why that is a copy of this program. */
function printedExecutable(): { readonly executable: string; readonly reason?: string } {
  const own = ownExecutable();
  try {
    return { executable: own === undefined ? COPY_PATH : checkExecutable(own) };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { executable: COPY_PATH, reason: error.message };
  }
}
