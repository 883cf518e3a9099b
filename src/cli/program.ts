/**
 * The command line as a tree of commands.
 *
 * @module
 */

import { Command } from "commander";
import type { Cli } from "./base/cli.ts";

/** One of the program's own words: a command, or a group of some. */
interface Word {
  readonly name: string;
  /**
   * Loads what it takes and builds it. On demand: a run needs one of these, and loading and
   * building all of them is most of the time that `tollgate version` would take.
   */
  build(cli: Cli): Promise<Command>;
}

/**
 * Makes the tree, as much of it as these words may ask for.
 *
 * @param words The command line, or nothing to make the whole tree.
 */
export async function createProgram(cli: Cli, words?: readonly string[]): Promise<Command> {
  const program = new Command("tollgate")
    .description("An OpenAI-compatible gateway in front of many model providers.")
    .usage("[command] [options]")
    .helpCommand(false)
    .addHelpText("after", HELP);
  const names = words === undefined ? COMMAND_NAMES : neededFor(words);
  for (const [heading, commands] of HEADINGS) {
    program.commandsGroup(heading);
    for (const { name, build } of commands.filter(({ name }) => names.includes(name))) {
      program.addCommand(await build(cli), { isDefault: name === DEFAULT });
    }
  }
  return program;
}

/** The command that runs when none is named. */
const DEFAULT = "serve";

/** Behind options, before it is known which of them take a value, any word may be a command. */
function neededFor(words: readonly string[]): readonly string[] {
  const [first] = words;
  if (first !== undefined && COMMAND_NAMES.includes(first)) return [first];
  if (words.some((word) => word === "--help" || word === "-h")) return COMMAND_NAMES;
  return [DEFAULT, ...words.filter((word) => COMMAND_NAMES.includes(word))];
}

const HEADINGS: readonly (readonly [heading: string, readonly Word[]])[] = [
  ["Serve:", [
    one("serve", async () => (await import("./commands/serve.ts")).serve),
    one("init", async () => (await import("./commands/init.ts")).init),
    one("console", async () => (await import("./commands/console.ts")).consoleCommand),
    one("apply", async () => (await import("./commands/apply.ts")).apply),
    group("catalogue", "The whole catalogue as a file", async (cli) => {
      const { catalogueExport } = await import("./commands/catalogue_export.ts");
      return [catalogueExport(cli)];
    }),
    one("import", async () => (await import("./commands/import.ts")).importCommand),
  ]],
  ["Who may call:", [
    group(
      "projects",
      "Balances, limits, budgets, quotas and allowed models",
      async (cli) => (await import("./commands/projects.ts")).projects(cli),
    ),
    group(
      "keys",
      "Project keys",
      async (cli) => (await import("./commands/keys.ts")).keys(cli),
    ),
  ]],
  ["What is called:", [
    group(
      "providers",
      "Upstream accounts",
      async (cli) => (await import("./commands/providers.ts")).providers(cli),
    ),
    group(
      "models",
      "Logical models",
      async (cli) => (await import("./commands/models.ts")).models(cli),
    ),
    group(
      "prices",
      "What vendors ask for their models",
      async (cli) => (await import("./commands/prices.ts")).prices(cli),
    ),
    group(
      "routes",
      "Ways to serve a model, and how one is chosen",
      async (cli) => (await import("./commands/routes.ts")).routes(cli),
    ),
  ]],
  ["What it made:", [
    group(
      "videos",
      "Video tasks and their films",
      async (cli) => (await import("./commands/videos.ts")).videos(cli),
    ),
    group(
      "batches",
      "Requests of files, made in the background",
      async (cli) => (await import("./commands/batches.ts")).batches(cli),
    ),
    group(
      "webhooks",
      "Messages to those who are told when a film has ended",
      async (cli) => (await import("./commands/webhooks.ts")).webhooks(cli),
    ),
    group(
      "files",
      "Files that were uploaded, or that batches made",
      async (cli) => (await import("./commands/files.ts")).files(cli),
    ),
  ]],
  ["What it cost:", [
    group("usage", "Usage reports", async (cli) => {
      const [{ usageExport, usageReport }, { usageRefusals }, { usageLatency }] = await Promise.all(
        [
          import("./commands/usage_report.ts"),
          import("./commands/usage_refusals.ts"),
          import("./commands/usage_latency.ts"),
        ],
      );
      return [usageReport(cli), usageExport(cli), usageRefusals(cli), usageLatency(cli)];
    }),
    group("calls", "Single calls, and archives of old ones", async (cli) => {
      const [{ callsList }, { callsShow }, { callsArchive }] = await Promise.all([
        import("./commands/calls_list.ts"),
        import("./commands/calls_show.ts"),
        import("./commands/calls_archive.ts"),
      ]);
      return [callsList(cli), callsShow(cli), callsArchive(cli)];
    }),
    group("ledger", "The ledger of all amounts", async (cli) => {
      const { ledgerVerify } = await import("./commands/ledger_verify.ts");
      return [ledgerVerify(cli)];
    }),
  ]],
  ["Who may administer:", [
    group(
      "tokens",
      "Tokens of administration, with a role",
      async (cli) => (await import("./commands/tokens.ts")).tokens(cli),
    ),
  ]],
  ["Who changed it:", [
    group("audit", "The log of administrative changes", async (cli) => {
      const { auditList } = await import("./commands/audit_list.ts");
      return [auditList(cli)];
    }),
  ]],
  ["Keep it safe:", [
    group(
      "alerts",
      "What is the matter, and who is told",
      async (cli) => (await import("./commands/alerts.ts")).alerts(cli),
    ),
    group(
      "backup",
      "Backups of the database",
      async (cli) => (await import("./commands/backup.ts")).backup(cli),
    ),
    one("move", async () => (await import("./commands/move.ts")).move),
    group(
      "nodes",
      "Processes that use one database together",
      async (cli) => (await import("./commands/nodes.ts")).nodes(cli),
    ),
    group(
      "jobs",
      "Long work, and how far it is",
      async (cli) => (await import("./commands/jobs.ts")).jobs(cli),
    ),
    one("doctor", async () => (await import("./commands/doctor.ts")).doctor),
  ]],
  ["About itself:", [
    group(
      "config",
      "Settings and schemas",
      async (cli) => (await import("./commands/config.ts")).config(cli),
    ),
    group(
      "service",
      "The server under systemd",
      async (cli) => (await import("./commands/service.ts")).service(cli),
    ),
    one("completion", async () => {
      const { completion } = await import("./commands/completion.ts");
      return (cli) => completion(cli, () => createProgram(cli));
    }),
    one("update", async () => (await import("./commands/update.ts")).update),
    one("version", async () => (await import("./commands/version.ts")).version),
  ]],
];

/** The words that a command line may begin with, in the order of the help. */
export const COMMAND_NAMES: readonly string[] = HEADINGS.flatMap(([, words]) =>
  words.map(({ name }) => name)
);

function one(name: string, load: () => Promise<(cli: Cli) => Command>): Word {
  return { name, build: async (cli) => (await load())(cli) };
}

function group(
  name: string,
  summary: string,
  load: (cli: Cli) => Promise<readonly Command[]>,
): Word {
  return {
    name,
    async build(cli) {
      const commands = await load(cli);
      const names = commands.map((one) => one.name()).join(", ");
      const command = new Command(name).summary(`${summary}: ${names}`).description(`${summary}.`)
        .helpCommand(false);
      for (const one of commands) command.addCommand(one);
      return command;
    },
  };
}

const HELP = `
Without a command, tollgate serves. A first call takes no configuration:
  tollgate                                  prints a URL, a key and a call to paste
  tollgate init                             finds what it can call here, and sets it up
  tollgate providers add openai             adds a vendor, its models and their prices
  tollgate apply tollgate.yaml              adds your providers and models
  tollgate routes explain gpt-5-mini        shows how a route is chosen
  tollgate <command> --help                 options and an example

Commands work through the running server, or on the data dir when none runs.

Environment:
  TOLLGATE_DATA_DIR, TOLLGATE_LISTEN, TOLLGATE_BASE_URL, TOLLGATE_CATALOG, TOLLGATE_CONFIG,
  TOLLGATE_ADMIN_KEY and every other setting, see tollgate serve --help
  NO_COLOR                                  no colours

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`;
