/**
 * What all commands share: their common options, settings and output.
 *
 * @module
 */

import { Command } from "commander";
import { formatProblem, type Problem } from "../../documents/problem.ts";
import type { AdminChannel, CommandPlace } from "./admin_channel.ts";
import { CommandFailure, EXIT_FAILURE, EXIT_USAGE } from "./failure.ts";
import { type Column, type Facts, formatFacts, formatTable, printable } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** What `--help` says about a command. */
export interface CommandText {
  readonly summary: string;
  /** One line as a user types it, without `tollgate`. */
  readonly example: string;
  readonly description?: string;
}

/** Options that commands share. */
export interface CommonOptions {
  readonly dataDir?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** Variables that matter to commands other than `serve`. */
const COMMAND_VARIABLES: ReadonlySet<string> = new Set([
  "TOLLGATE_DATA_DIR",
  "TOLLGATE_CONFIG",
  "TOLLGATE_CATALOG",
  "TOLLGATE_DATABASE_URL",
  "TOLLGATE_DATABASE_CA",
  "TOLLGATE_DISK_RESERVE_BYTES",
  "TOLLGATE_S3_URL",
]);

/** Shared by all commands of one run. */
export class Cli {
  readonly terminal: Terminal;
  /** The code to exit with when nothing fails; a check that finds something sets it. */
  exitCode = 0;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** A command without options. */
  command(name: string, { summary, description, example }: CommandText): Command {
    return new Command(name).summary(summary).description(description ?? `${summary}.`)
      .addHelpText("after", `\nExample:\n  tollgate ${example}`);
  }

  /** A command that works on a data dir; with `--json` where it answers something. */
  adminCommand(name: string, text: CommandText): Command {
    return this.command(name, text)
      .option("--data-dir <dir>", "folder of the data [TOLLGATE_DATA_DIR]")
      .option("--config <file>", "settings file [TOLLGATE_CONFIG]")
      .option("--json", "print JSON");
  }

  /**
   * Where a command works, by its options and the settings.
   *
   * @throws {CommandFailure} Naming every setting that is wrong.
   */
  async place(options: CommonOptions): Promise<CommandPlace> {
    const { around } = this.terminal;
    const env = Object.fromEntries(
      Object.entries(around.env).filter(([name]) =>
        !name.startsWith("TOLLGATE_") || COMMAND_VARIABLES.has(name)
      ),
    );
    const { flagsFromOptions, loadSettings } = await import("../../config/load_settings.ts");
    const flags = flagsFromOptions({ dataDir: options.dataDir, config: options.config });
    const loaded = await loadSettings(flags, { ...around, env });
    if (!loaded.ok) throw badSettings(loaded.problems);
    const { dataDir, database, filmBucket, catalog, disk, oidc } = loaded.settings;
    const source = loaded.shown.find(({ name }) => name === "data_dir")?.source ?? "";
    const isChosen = /^(flag|variable) |:\d+:\d+$/.test(source);
    return {
      ...{ dataDir, isChosen, database, filmBucket, disk },
      catalogueOwner: catalog,
      oidcIssuer: oidc?.issuer,
    };
  }

  /** Opens the way to administration, does the work, and closes it whatever happens. */
  async administer(
    options: CommonOptions,
    work: (admin: AdminChannel) => Promise<void>,
    { mayCreate = false }: { readonly mayCreate?: boolean } = {},
  ): Promise<void> {
    const place = await this.place(options);
    const { openChannel } = await import("./admin_channel.ts");
    const admin = openChannel({ ...place, mayCreate }, this.terminal);
    try {
      await work(admin);
    } catch (error) {
      throw await admin.explain(error);
    } finally {
      await admin.close();
    }
  }

  /** Prints rows: a table, or a JSON array. */
  printRows<Row>(
    rows: readonly Row[],
    { json, columns, none }: {
      readonly json: boolean | undefined;
      readonly columns: readonly Column<Row>[];
      /** Said instead of an empty table. */
      readonly none: string;
    },
  ): void {
    if (json === true) return this.printJson(rows);
    if (rows.length === 0) return this.say(none);
    this.terminal.out(formatTable(rows, columns, { colors: this.terminal.outColors }));
  }

  /** Prints one thing: facts line by line, or a JSON object. */
  printFacts(
    value: unknown,
    { json, facts }: {
      readonly json: boolean | undefined;
      readonly facts: Facts;
    },
  ): void {
    if (json === true) this.printJson(value);
    else this.terminal.out(formatFacts(facts));
  }

  printJson(value: unknown): void {
    this.terminal.out(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** A message, on stderr. */
  say(message: string): void {
    this.terminal.err(`${message.split("\n").map(printable).join("\n")}\n`);
  }

  warn(messages: readonly string[]): void {
    for (const message of messages) this.say(`Warning: ${message}`);
  }

  /** Ends with a failure when nothing else fails. */
  fail(): void {
    this.exitCode = EXIT_FAILURE;
  }
}

/** Every bad setting at once, each with its source. */
export function badSettings(problems: readonly Problem[]): CommandFailure {
  const count = problems.length === 1 ? "A setting is" : `${problems.length} settings are`;
  return new CommandFailure(`${count} wrong\n${problems.map(formatProblem).join("\n")}`, {
    exitCode: EXIT_USAGE,
  });
}
