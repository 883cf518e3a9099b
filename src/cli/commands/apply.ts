/**
 * `tollgate apply FILE`
 *
 * @module
 */

import type { Command } from "commander";
import { operationCommand } from "../operations/operation_command.ts";
import { type ApplyAnswer, applyCatalogue } from "../../admin/catalogue/apply_catalogue.ts";
import type { Cli } from "../base/cli.ts";
import { readCatalogueFile } from "../../catalog/read_file.ts";

export function apply(cli: Cli): Command {
  return operationCommand(cli, {
    operation: applyCatalogue,
    summary: "Apply a catalogue file (providers, models, routes, prices, projects)",
    example: "apply tollgate.yaml --dry-run",
    args: { file: "<file>" },
    without: ["text"],
    mayCreate: true,
    async run({ admin, operation, input, options: { json } }) {
      const text = await readText(input.file!);
      const answer = await admin.call(operation, { ...input, text });
      printChanges(cli, answer, { json, none: "everything is as the file says" });
    },
  });
}

/** The text of a file; of `-` what stands on stdin. */
export async function readText(file: string, what?: string): Promise<string> {
  if (file !== "-") return await readCatalogueFile(file, what);
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
