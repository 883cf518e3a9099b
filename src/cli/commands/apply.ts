/**
 * `tollgate apply FILE`
 *
 * @module
 */

import type { Command } from "commander";
import { applyCatalogue } from "../../admin/catalogue.ts";
import { readCatalogueFile } from "../../catalog/read_file.ts";
import type { Cli, CommonOptions } from "../cli.ts";

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
        cli.warn(answer.warnings);
        if (options.json === true) return cli.printJson(answer);
        for (const { line } of answer.changes) cli.terminal.out(`${line}\n`);
        const count = answer.changes.length;
        const changes = count === 1 ? "1 change" : `${count} changes`;
        if (count === 0) cli.say("Nothing to change: everything is as the file says");
        else cli.say(answer.applied ? `Applied: ${changes}` : `Would apply: ${changes}`);
      }, { mayCreate: true });
    });
}

async function readText(file: string): Promise<string> {
  if (file !== "-") return await readCatalogueFile(file);
  return await new Response(Deno.stdin.readable).text();
}
