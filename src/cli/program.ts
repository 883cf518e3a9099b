/**
 * The command line as a tree of commands.
 *
 * @module
 */

import { Command } from "commander";
import type { Cli } from "./base/cli.ts";
import { apply } from "./commands/apply.ts";
import { auditList } from "./commands/audit_list.ts";
import { backup } from "./commands/backup.ts";
import { callsArchive } from "./commands/calls_archive.ts";
import { callsList } from "./commands/calls_list.ts";
import { callsShow } from "./commands/calls_show.ts";
import { catalogueExport } from "./commands/catalogue_export.ts";
import { completion } from "./commands/completion.ts";
import { config } from "./commands/config.ts";
import { consoleCommand } from "./commands/console.ts";
import { doctor } from "./commands/doctor.ts";
import { importCommand } from "./commands/import.ts";
import { keys } from "./commands/keys.ts";
import { ledgerVerify } from "./commands/ledger_verify.ts";
import { models } from "./commands/models.ts";
import { prices } from "./commands/prices.ts";
import { projects } from "./commands/projects.ts";
import { providers } from "./commands/providers.ts";
import { routes } from "./commands/routes.ts";
import { serve } from "./commands/serve.ts";
import { service } from "./commands/service.ts";
import { usageExport, usageReport } from "./commands/usage_report.ts";
import { usageRefusals } from "./commands/usage_refusals.ts";
import { version } from "./commands/version.ts";
import { batches } from "./commands/batches.ts";
import { videos } from "./commands/videos.ts";

/** Makes the whole tree. */
export function createProgram(cli: Cli): Command {
  const program = new Command("tollgate")
    .description("An OpenAI-compatible gateway in front of many model providers.")
    .usage("[command] [options]")
    .helpCommand(false)
    .addHelpText("after", HELP);
  for (const [heading, commands] of headings(cli)) {
    program.commandsGroup(heading);
    for (const command of commands) {
      program.addCommand(command, { isDefault: command.name() === "serve" });
    }
  }
  return program;
}

function headings(cli: Cli): readonly (readonly [heading: string, readonly Command[]])[] {
  return [
    ["Serve:", [
      serve(cli),
      consoleCommand(cli),
      apply(cli),
      group("catalogue", "The whole catalogue as a file", [catalogueExport(cli)]),
      importCommand(cli),
    ]],
    ["Who may call:", [
      group("projects", "Balances, limits, budgets, quotas and allowed models", projects(cli)),
      group("keys", "Project keys", keys(cli)),
    ]],
    ["What is called:", [
      group("providers", "Upstream accounts", providers(cli)),
      group("models", "Logical models", models(cli)),
      group("prices", "What vendors ask for their models", prices(cli)),
      group("routes", "Ways to serve a model, and how one is chosen", routes(cli)),
    ]],
    ["What it made:", [
      group("videos", "Video tasks and their films", videos(cli)),
      group("batches", "Requests of files, made in the background", batches(cli)),
    ]],
    ["What it cost:", [
      group("usage", "Usage reports", [usageReport(cli), usageExport(cli), usageRefusals(cli)]),
      group("calls", "Single calls, and archives of old ones", [
        callsList(cli),
        callsShow(cli),
        callsArchive(cli),
      ]),
      group("ledger", "The ledger of all amounts", [ledgerVerify(cli)]),
    ]],
    ["Who changed it:", [
      group("audit", "The log of administrative changes", [auditList(cli)]),
    ]],
    ["Keep it safe:", [group("backup", "Backups of the database", backup(cli)), doctor(cli)]],
    ["About itself:", [
      group("config", "Settings and schemas", config(cli)),
      group("service", "The server under systemd", service(cli)),
      completion(cli),
      version(cli),
    ]],
  ];
}

function group(name: string, summary: string, commands: readonly Command[]): Command {
  const names = commands.map((one) => one.name()).join(", ");
  const command = new Command(name).summary(`${summary}: ${names}`).description(`${summary}.`)
    .helpCommand(false);
  for (const one of commands) command.addCommand(one);
  return command;
}

const HELP = `
Without a command, tollgate serves. A first call takes no configuration:
  tollgate                                  prints a URL, a key and a call to paste
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
