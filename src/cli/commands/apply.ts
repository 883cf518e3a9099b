/**
 * `tollgate apply FILE`
 *
 * @module
 */

import type { Command } from "commander";
import { type ApplyAnswer, applyCatalogue } from "../../admin/catalogue/apply_catalogue.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { readCatalogueFile } from "../../catalog/read_file.ts";

interface ApplyOptions extends CommonOptions {
  readonly dryRun?: true;
  readonly prune?: true;
}

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

/** The text of a file; of `-` what stands on stdin. */
export async function readText(file: string): Promise<string> {
  if (file !== "-") return await readCatalogueFile(file);
  return await new Response(Deno.stdin.readable).text();
}

/** Prints what has changed, or would. */
export function printChanges(
  cli: Cli,
  answer: Pick<ApplyAnswer, "changes" | "applied" | "warnings">,
  { json, none }: {
    readonly json: boolean | undefined;
    /** Why there may be nothing to change. */
    readonly none: string;
  },
): void {
  cli.warn(answer.warnings);
  if (json === true) return cli.printJson(answer);
  for (const { line } of answer.changes) cli.terminal.out(`${line}\n`);
  const count = answer.changes.length;
  const changes = count === 1 ? "1 change" : `${count} changes`;
  if (count === 0) cli.say(`Nothing to change: ${none}`);
  else cli.say(answer.applied ? `Applied: ${changes}` : `Would apply: ${changes}`);
}
