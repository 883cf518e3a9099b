/**
 * `tollgate backup verify FILE`
 *
 * @module
 */

import { resolve } from "node:path";
import type { Command } from "commander";
import { examineBackup } from "../../app/backups/examine_backup.ts";
import type { Cli } from "../cli.ts";
import { backupFacts, sayDifferences } from "./backup_output.ts";

/** Makes the command. */
export function backupVerify(cli: Cli): Command {
  return cli.command("verify", {
    summary: "Read a backup from its first byte to its last",
    description: "Read a backup from its first byte to its last: pages, schema, books. Its bytes " +
      "do not change. Exits 1 when it cannot be used, or its books do not add up.",
    example: "backup verify tollgate-20261121-145306.db",
  })
    .argument("<file>", "a backup")
    .option("--json", "print JSON")
    .action(async (file: string, { json }: { readonly json?: boolean }) => {
      const report = await examineBackup(resolve(cli.terminal.around.cwd, file));
      cli.printFacts(report, { json, facts: backupFacts(report) });
      sayDifferences(cli, report);
    });
}
