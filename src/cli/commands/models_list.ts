/**
 * `tollgate models list`
 *
 * @module
 */

import type { Command } from "commander";
import { listModels, type ModelRow } from "../../admin/models.ts";
import type { Cli } from "../cli.ts";
import type { Column } from "../table.ts";
import { addListOptions, type ListOptions, printList } from "./list_options.ts";

const COLUMNS: readonly Column<ModelRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "KIND", value: ({ kind }) => kind },
  { header: "ROUTES", value: (row) => `${row.usable_routes}/${row.routes}`, align: "right" },
  { header: "FROM", value: ({ from_price }) => from_price ?? "-", align: "right" },
  { header: "MANUAL", value: (row) => row.manual_selection ? "yes" : "no" },
  { header: "ALIASES", value: ({ aliases }) => aliases.length === 0 ? "-" : aliases.join(",") },
];

/** Makes the command. */
export function modelsList(cli: Cli): Command {
  return addListOptions(cli.adminCommand("list", {
    summary: "List logical models",
    description: "List logical models; routes are shown as usable/configured.",
    example: "models list",
  })).action((options: ListOptions) =>
    cli.administer(options, (admin) =>
      printList(cli, admin, options, {
        operation: listModels,
        input: {},
        columns: COLUMNS,
        none: "No models yet: write a catalogue file, then tollgate apply FILE",
      }))
  );
}
