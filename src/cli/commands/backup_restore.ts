/**
 * `tollgate backup restore FILE`
 *
 * @module
 */

import { resolve } from "node:path";
import type { Command } from "commander";
import { restoreBackup, type RestoreReport } from "../../app/backups/restore_backup.ts";
import { systemClock } from "../../domain/clock.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { backupFacts } from "./backup_output.ts";

interface Options extends CommonOptions {
  readonly yes?: boolean;
  readonly acceptDifferences?: boolean;
}

/** Makes the command. */
export function backupRestore(cli: Cli): Command {
  return cli.adminCommand("restore", {
    summary: "Put a backup in the place of the database, and keep that one",
    description: "Put a backup in the place of the data dir's database, which is kept under " +
      "another name. The backup is read first: pages, schema, books. No server may run on the " +
      "data dir. Calls that were open in the backup are released at the next start, as after a crash.",
    example: "backup restore tollgate-20261121-145306.db --yes",
  })
    .argument("<file>", "a backup")
    .option("--yes", "replace the database that is there")
    .option("--accept-differences", "take a backup whose books do not add up")
    .action(async (file: string, options: Options) => {
      const { terminal } = cli;
      const { dataDir } = await cli.place(options);
      const report = await restoreBackup({
        file: resolve(terminal.around.cwd, file),
        dataDir,
        mayReplace: options.yes === true,
        acceptsDifferences: options.acceptDifferences === true,
        now: systemClock.now(),
      });
      cli.printFacts(report, { json: options.json, facts: restoreFacts(report) });
      sayNext(cli, report);
    });
}

function restoreFacts(report: RestoreReport): readonly (readonly [name: string, value: string])[] {
  return [
    ...backupFacts(report),
    ["Restored", `${report.data_dir}/tollgate.db`],
    ["Kept", report.kept ?? "nothing: there was no database"],
  ];
}

function sayNext(cli: Cli, report: RestoreReport): void {
  if (report.open_calls > 0) {
    cli.say(`${report.open_calls} calls were open: the next start releases those without a film`);
  }
  if (report.films_missing > 0) {
    cli.say(
      `${report.films_missing} of its films are not in ${report.data_dir}/videos: copy them there, else whoever asks for one is told that it is gone`,
    );
  }
  if (report.films_folder !== null) {
    cli.say(
      `${report.films_set_aside} films are of tasks that it does not know: the next start removes them from ${report.data_dir}/videos, and they are kept in ${report.films_folder}`,
    );
  }
  if (report.kept !== null) {
    cli.say(`To go back, restore ${report.kept}. Remove it when you no longer need it`);
  }
}
