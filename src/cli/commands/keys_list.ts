/**
 * `tollgate keys list`
 *
 * @module
 */

import type { Command } from "commander";
import { listKeys } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { KEY_COLUMNS } from "./key_output.ts";

interface ListOptions extends CommonOptions {
  readonly project?: string;
}

/** Makes the command. */
export function keysList(cli: Cli): Command {
  return cli.adminCommand("list", {
    summary: "List keys, never the keys themselves",
    example: "keys list --project shop",
  })
    .option("--project <id>", "only this project's")
    .action((options: ListOptions) =>
      cli.administer(options, async (admin) => {
        const input = options.project === undefined ? {} : { project: options.project };
        cli.printRows(await admin.call(listKeys, input), {
          json: options.json,
          columns: KEY_COLUMNS,
          none: "No keys yet: tollgate keys create --project ID",
        });
      })
    );
}
