/**
 * Refuses what only root may do, and says what to do instead.
 *
 * @module
 */

import type { Cli } from "../base/cli.ts";
import { CommandFailure } from "../base/failure.ts";
import { UNIT_PATH } from "./unit_text.ts";

/** @throws {CommandFailure} Unless root runs this. */
export function needRoot(cli: Cli, verb: "install" | "uninstall"): void {
  if (cli.terminal.around.uid === 0) return;
  throw new CommandFailure(
    `Cannot ${verb} a service: only root may change ${UNIT_PATH}. Run this with sudo; ` +
      "`tollgate service print` shows the unit to anybody",
  );
}
