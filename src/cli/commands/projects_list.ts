/**
 * `tollgate projects list`
 *
 * @module
 */

import type { Command } from "commander";
import { listProjects } from "../../admin/projects.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { PROJECT_COLUMNS } from "./project_output.ts";

/** Makes the command. */
export function projectsList(cli: Cli): Command {
  return cli.adminCommand("list", {
    summary: "List projects with their balances",
    example: "projects list --json",
  }).action((options: CommonOptions) =>
    cli.administer(options, async (admin) => {
      cli.printRows(await admin.call(listProjects, {}), {
        json: options.json,
        columns: PROJECT_COLUMNS,
        none: "No projects yet: tollgate projects create ID",
      });
    })
  );
}
