/**
 * Changes that are shown before they are made: somebody agrees to them, or has beforehand.
 *
 * @module
 */

import type { Cli } from "./cli.ts";
import { CommandFailure, EXIT_USAGE } from "./failure.ts";

/**
 * Whether what was shown is to be made.
 *
 * @param yes Whether somebody has agreed beforehand.
 * @throws {CommandFailure} When nobody agrees.
 */
export function requireAgreed({ terminal }: Cli, yes: boolean): void {
  if (yes) return;
  if (!terminal.canAsk) {
    throw new CommandFailure(
      "Nothing was changed, as nobody can be asked: add --yes, or look with --dry-run",
      { exitCode: EXIT_USAGE },
    );
  }
  if (!terminal.ask("Change this? [y/N] ")) throw new CommandFailure("Nothing was changed");
}
