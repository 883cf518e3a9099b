/**
 * `tollgate keys list`
 *
 * @module
 */

import type { Command } from "commander";
import { listKeys } from "../../admin/keys.ts";
import type { Cli } from "../cli.ts";
import { KEY_COLUMNS } from "./key_output.ts";
import { addListOptions, type ListOptions, printList } from "./list_options.ts";

interface KeysOptions extends ListOptions {
  readonly project?: string;
}

/** Makes the command. */
export function keysList(cli: Cli): Command {
  return addListOptions(cli.adminCommand("list", {
    summary: "List keys, never the keys themselves",
    example: "keys list --project shop",
  }))
    .option("--project <id>", "only this project's")
    .action((options: KeysOptions) =>
      cli.administer(options, (admin) =>
        printList(cli, admin, options, {
          operation: listKeys,
          input: options.project === undefined ? {} : { project: options.project },
          columns: KEY_COLUMNS,
          none: "No keys yet: tollgate keys create --project ID",
        }))
    );
}
