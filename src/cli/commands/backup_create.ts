/**
 * `tollgate backup create [FILE|--to DIR]`
 *
 * @module
 */

import { resolve } from "node:path";
import type { Command } from "commander";
import { createBackup } from "../../admin/backups.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { CommandFailure, EXIT_USAGE } from "../failure.ts";
import { backupFacts, sayDifferences } from "./backup_output.ts";

/** Makes the command. */
export function backupCreate(cli: Cli): Command {
  return cli.adminCommand("create", {
    summary: "Write the database to one new file, while the gateway goes on",
    description: "Write the database to one new file, while the gateway goes on, and read it " +
      "again: pages, schema, books. Where a server runs, it writes the file itself. Films are " +
      "files of their own in <data>/videos and not in it; keys are in it as hashes only, the " +
      "secrets that sign webhooks as they are, so the file is readable for its owner alone.",
    example: "backup create --to /mnt/backups",
  })
    .argument("[file]", "a path that nothing has yet")
    .option(
      "--to <dir>",
      "a folder, in which the file is named after the time (default: <data>/backups)",
    )
    .action(async (file: string | undefined, options: CommonOptions & { readonly to?: string }) => {
      if (file !== undefined && options.to !== undefined) {
        throw new CommandFailure("Name a file, or a folder with --to, not both", {
          exitCode: EXIT_USAGE,
        });
      }
      const { cwd } = cli.terminal.around;
      await cli.administer(options, async (admin) => {
        const report = await admin.call(createBackup, {
          ...(file !== undefined && { file: resolve(cwd, file) }),
          ...(options.to !== undefined && { folder: resolve(cwd, options.to) }),
        });
        const took = ["Took", `${(report.milliseconds / 1000).toFixed(1)} s`] as const;
        cli.printFacts(report, { json: options.json, facts: [...backupFacts(report), took] });
        if (sayDifferences(cli, report)) {
          cli.say("The backup is as good as the database, whose books do not add up");
        }
        if (report.films > 0) {
          cli.say(`Copy ${admin.dataDir}/videos too: its films never change, only come and go`);
        }
      });
    });
}
