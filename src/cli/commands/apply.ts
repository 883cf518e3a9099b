/**
 * `tollgate apply FILE`
 *
 * @module
 */

import type { Command } from "commander";
import { applyCatalogue } from "../../admin/catalogue/apply_catalogue.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { printChanges, readText } from "./changes_output.ts";

interface ApplyOptions extends CommonOptions {
  readonly dryRun?: true;
  readonly prune?: true;
}

/** Makes the command. */
export function apply(cli: Cli): Command {
  return cli.adminCommand("apply", {
    summary: "Apply a catalogue file (providers, models, routes, prices, projects)",
    example: "apply tollgate.yaml --dry-run",
  })
    .argument("<file>", "catalogue file, YAML or JSON; - reads stdin")
    .option("--dry-run", "print what would change, change nothing")
    .option("--prune", "remove providers, models and routes that the file does not list")
    .action(async (file: string, options: ApplyOptions) => {
      const text = await readText(file);
      await cli.administer(options, async (admin) => {
        const answer = await admin.call(applyCatalogue, {
          file,
          text,
          dry_run: options.dryRun === true,
          prune: options.prune === true,
        });
        printChanges(cli, answer, { json: options.json, none: "everything is as the file says" });
      }, { mayCreate: true });
    });
}
