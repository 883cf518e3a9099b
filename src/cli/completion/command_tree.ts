/**
 * The commands as data, read off their declarations: what completions and the manual are made from.
 *
 * @module
 */

import type { Argument, Command, Option } from "commander";

/** What stands behind an option or in an argument's place. */
export interface ShownValue {
  /** As the help names it, such as `dir`. */
  readonly name: string;
  /** All that it may be; absent: anything. */
  readonly choices: readonly string[] | undefined;
  /** Whether it names a file or a folder of this machine. */
  readonly isPath: boolean;
}

/** An option of a command. */
export interface ShownOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** Absent for a switch. */
  readonly value: ShownValue | undefined;
}

/** A command or a group of commands. */
export interface ShownCommand {
  /** The words behind `tollgate`; none for the program itself. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly args: readonly (ShownValue & { readonly term: string; readonly description: string })[];
  readonly options: readonly ShownOption[];
  readonly commands: readonly ShownCommand[];
}

/** Reads a command and all below it. */
export function commandTree(command: Command, path: readonly string[] = []): ShownCommand {
  return {
    path,
    summary: command.summary() || command.description(),
    description: command.description(),
    args: command.registeredArguments.map((argument) => ({
      ...valueOf(argument, argument.name()),
      term: termOf(argument),
      description: argument.description,
    })),
    options: [...command.options.filter(({ hidden }) => !hidden).map(shownOption), HELP],
    commands: command.commands.map((one) => commandTree(one, [...path, one.name()])),
  };
}

/** A tree's commands from the top down, groups before what is in them. */
export function allCommands(tree: ShownCommand): readonly ShownCommand[] {
  return [tree, ...tree.commands.flatMap(allCommands)];
}

const HELP: ShownOption = {
  long: "--help",
  short: "-h",
  description: "show help",
  value: undefined,
};

function shownOption(option: Option): ShownOption {
  const placeholder = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(option.flags)?.[1];
  return {
    long: option.long ?? option.flags,
    short: option.short,
    description: option.description,
    value: placeholder === undefined ? undefined : valueOf(option, placeholder),
  };
}

/** Placeholders that name something on this machine's disk. */
const PATH_NAME = /^(?:file|dir|folder|path|db)$/i;

function valueOf({ argChoices }: Argument | Option, name: string): ShownValue {
  return { name, choices: argChoices, isPath: PATH_NAME.test(name) };
}

function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
