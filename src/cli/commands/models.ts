/**
 * `tollgate models …`
 *
 * @module
 */

import type { Command } from "commander";
import {
  deleteModel,
  listModels,
  type ModelRow,
  setModel,
  showModel,
} from "../../admin/catalogue/models.ts";
import { modelSchema } from "../../catalog/file_schema.ts";
import type { Cli } from "../base/cli.ts";
import { listCommand } from "../operations/operation_command.ts";
import type { Column } from "../base/table.ts";
import { pieceCommands } from "./pieces.ts";

const COLUMNS: readonly Column<ModelRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "KIND", value: ({ kind }) => kind },
  { header: "ROUTES", value: (row) => `${row.usable_routes}/${row.routes}`, align: "right" },
  { header: "FROM", value: ({ from_price }) => from_price ?? "-", align: "right" },
  { header: "PER", value: priceUnit },
  { header: "MANUAL", value: (row) => row.manual_selection ? "yes" : "no" },
  { header: "ALIASES", value: ({ aliases }) => aliases.length === 0 ? "-" : aliases.join(",") },
];

/** Such as `million tokens, USD`: models of several kinds stand in one list. */
function priceUnit({ from_price_per: per, currency }: ModelRow): string {
  return per === null ? "-" : `${per.replaceAll("_", " ")}, ${currency}`;
}

export function models(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listModels,
      description: "List logical models; routes are shown as usable/configured.",
      example: "models list",
      columns: () => COLUMNS,
      none: "No models yet: write a catalogue file, then tollgate apply FILE",
    }),
    ...pieceCommands(cli, {
      kind: "model",
      schema: modelSchema,
      show: showModel,
      set: setModel,
      delete: deleteModel,
      example: "gpt-5-mini",
      exampleSettings: "--kind chat --aliases small",
    }),
  ];
}
