/**
 * Runs one command line from its arguments to its exit code.
 *
 * @module
 */

import { type Command, CommanderError } from "commander";
import { didYouMean } from "../documents/did_you_mean.ts";
import { Cli } from "./base/cli.ts";
import { describeFailure, EXIT_USAGE } from "./base/failure.ts";
import { COMMAND_NAMES, createProgram } from "./program.ts";
import { HELP_WIDTH, type Terminal } from "./base/terminal.ts";

/** Resolves with the exit code; never rejects for what the user did. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const cli = new Cli(terminal);
  const words = asCommands(args);
  const program = await createProgram(cli, words);
  prepare(program, terminal);
  try {
    refuseUnknownCommand(program, words, COMMAND_NAMES);
    await program.parseAsync(words, { from: "user" });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // `serve`, as the default command, has taken a command for its argument.
      if (error.code === "commander.excessArguments" && args[0]?.startsWith("-")) {
        cli.say("Options stand after their command, as in: tollgate projects list --json");
      }
      return error.exitCode === 0 ? 0 : EXIT_USAGE;
    }
    const { message, exitCode } = describeFailure(error);
    cli.say(`tollgate: ${message}`);
    return exitCode;
  }
}

/** Output goes where the terminal says, and nothing but main ends the process. */
function prepare(command: Command, terminal: Terminal): void {
  command.exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) =>
        write(text.replace(/^error: (?:command-argument (?=value))?/, "tollgate: ")),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => terminal.outColors,
      getErrHasColors: () => terminal.errColors,
    })
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: false });
  if (command.parent !== null) command.showHelpAfterError(`See: ${pathOf(command)} --help`);
  for (const inner of command.commands) prepare(inner, terminal);
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The default command would take a mistyped one for its argument, as would one with others in it. */
function refuseUnknownCommand(
  group: Command,
  [first, ...others]: readonly string[],
  names: readonly string[] = group.commands.map((command) => command.name()),
): void {
  if (names.length === 0) return;
  if (first === undefined || first.startsWith("-") || first === "help") return;
  const named = group.commands.find((command) => command.name() === first);
  if (named !== undefined) return refuseUnknownCommand(named, others);
  const near = didYouMean(first, names);
  const hint = near === undefined ? `there are ${names.join(", ")}` : `did you mean '${near}'?`;
  group.error(`error: unknown command '${first}': ${hint}`, { exitCode: EXIT_USAGE });
}

/** `--version` says the same as `version`, and `help keys` the same as `keys --help`. */
function asCommands(args: readonly string[]): string[] {
  const [first, ...others] = args;
  if (first === "--version" || first === "-V") return ["version"];
  return first === "help" ? [...others, "--help"] : [...args];
}
