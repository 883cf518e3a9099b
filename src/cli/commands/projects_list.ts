/**
 * `tollgate projects list`
 *
 * @module
 */

import type { Command } from "commander";
import { listProjects } from "../../admin/projects.ts";
import type { Cli } from "../cli.ts";
import { addListOptions, type ListOptions, printList } from "./list_options.ts";
import { PROJECT_COLUMNS } from "./project_output.ts";

/** Makes the command. */
export function projectsList(cli: Cli): Command {
  return addListOptions(cli.adminCommand("list", {
    summary: "List projects with their balances",
    example: "projects list --json",
  })).action((options: ListOptions) =>
    cli.administer(options, (admin) =>
      printList(cli, admin, options, {
        operation: listProjects,
        input: {},
        columns: PROJECT_COLUMNS,
        none: "No projects yet: tollgate projects create ID",
      }))
  );
}
