/**
 * The manual page, made from the declarations of the commands.
 *
 * @module
 */

import { Cli } from "../../src/cli/base/cli.ts";
import type { Terminal } from "../../src/cli/base/terminal.ts";
import {
  allCommands,
  commandTree,
  type ShownCommand,
  type ShownOption,
} from "../../src/cli/completion/command_tree.ts";
import { createProgram } from "../../src/cli/program.ts";

/** The whole program as data; nothing of it is run. */
export async function programTree(): Promise<ShownCommand> {
  return commandTree(await createProgram(new Cli({} as Terminal)));
}

/** `tollgate(1)` in roff's `man` macros. */
export function manPage(tree: ShownCommand, { version, epoch }: {
  readonly version: string;
  /** Seconds since 1970. */
  readonly epoch: number;
}): string {
  const date = new Date(epoch * 1000).toISOString().slice(0, 10);
  const commands = allCommands(tree).filter(({ path, args, commands }) =>
    path.length > 0 && (commands.length === 0 || args.length > 0)
  );
  return [
    `.TH TOLLGATE 1 ${date} ${roff(`tollgate ${version}`)} "User Commands"`,
    ".SH NAME",
    `tollgate \\- ${roff("a gateway in front of many model providers")}`,
    ".SH SYNOPSIS",
    ".B tollgate",
    "[\\fIcommand\\fR] [\\fIoptions\\fR]",
    ".SH DESCRIPTION",
    paragraph(
      `${tree.description} Without a command it serves. Commands work through the ` +
        "running server, or on the data dir when none runs.",
    ),
    ".SH COMMANDS",
    ...commands.flatMap(commandPart),
    ".SH ENVIRONMENT",
    paragraph(
      "TOLLGATE_DATA_DIR, TOLLGATE_LISTEN, TOLLGATE_BASE_URL, TOLLGATE_CATALOG, " +
        "TOLLGATE_CONFIG, TOLLGATE_ADMIN_KEY: as the options of serve that are named so. Every " +
        "other setting has a variable too: its option in capitals, behind TOLLGATE_.",
    ),
    paragraph("NO_COLOR: no colours."),
    ".SH EXIT STATUS",
    paragraph("0: done. 1: failed. 2: wrong usage or settings."),
    ".SH FILES",
    paragraph(
      "/var/lib/tollgate: the data of the service. /etc/tollgate/environment and " +
        "/etc/default/tollgate: its variables.",
    ),
    "",
  ].join("\n");
}

function commandPart(command: ShownCommand): readonly string[] {
  const terms = command.args.map(({ term }) => ` ${roff(term)}`).join("");
  return [
    `.SS tollgate ${roff(command.path.join(" "))}${terms}`,
    paragraph(command.description),
    ...command.args.filter(({ description }) => description !== "").flatMap((argument) => [
      ".TP",
      `\\fI${roff(argument.term)}\\fR`,
      paragraph(withChoices(argument.description, argument.choices)),
    ]),
    ...command.options.filter(({ long }) => long !== "--help").flatMap((option) => [
      ".TP",
      flagsOf(option),
      paragraph(withChoices(option.description, option.value?.choices)),
    ]),
  ];
}

function flagsOf({ short, long, value }: ShownOption): string {
  const names = short === undefined ? [long] : [short, long];
  const taken = value === undefined ? "" : ` \\fI${roff(value.name)}\\fR`;
  return `${names.map((name) => `\\fB${roff(name)}\\fR`).join(", ")}${taken}`;
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description} (${choices.join(", ")})`;
}

/** One line of text, which no macro can be mistaken for. */
function paragraph(text: string): string {
  return roff(text.replaceAll(/\s+/g, " ").trim()).replace(/^(?=[.'])/, "\\&");
}

function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...");
}
