/**
 * Changes of the catalogue, taken from a file and printed.
 *
 * @module
 */

import { readCatalogueFile } from "../../catalog/read_file.ts";
import type { ApplyAnswer } from "../../admin/catalogue/apply_catalogue.ts";
import type { Cli } from "../base/cli.ts";

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
