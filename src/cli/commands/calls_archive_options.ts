/**
 * Options of commands that stand below `calls archive`, which is a command itself.
 *
 * @module
 */

import type { Command } from "commander";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";

/**
 * What was given of a command's own options: `archive` takes those that it has too for its own, wherever
 * they stand.
 *
 * @throws {CommandFailure} For one that only `archive` has, which would change nothing here.
 */
export function ownOptions<Options extends object>(command: Command): Options {
  const own = new Set(command.options.map((option) => option.attributeName()));
  const given = command.parent!.options.find((option) =>
    !own.has(option.attributeName()) &&
    command.parent!.getOptionValueSource(option.attributeName()) === "cli"
  );
  if (given === undefined) return command.optsWithGlobals<Options>();
  const name = `calls archive ${command.name()}`;
  throw new CommandFailure(`${name} has no option ${given.long}. See: tollgate ${name} --help`, {
    exitCode: EXIT_USAGE,
  });
}
