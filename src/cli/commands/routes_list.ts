/**
 * `tollgate routes list`
 *
 * @module
 */

import type { Command } from "commander";
import { listRoutes, type RouteRow } from "../../admin/routes.ts";
import type { Cli } from "../cli.ts";
import type { Column } from "../table.ts";
import { addListOptions, type ListOptions, printList } from "./list_options.ts";

interface RoutesOptions extends ListOptions {
  readonly model?: string;
}

const COLUMNS: readonly Column<RouteRow>[] = [
  { header: "ROUTE", value: ({ id }) => id },
  { header: "MODEL", value: ({ model }) => model },
  { header: "PROVIDER", value: ({ provider }) => provider },
  { header: "STATUS", value: statusText },
  { header: "RISK", value: ({ risk_level }) => risk_level },
  { header: "WEIGHT", value: ({ weight }) => weight, align: "right" },
  { header: "PRICE", value: priceText },
];

/** Makes the command. */
export function routesList(cli: Cli): Command {
  return addListOptions(cli.adminCommand("list", {
    summary: "List routes with their state and price",
    description:
      "List routes with their state and price; tokens are priced per million, input/output.",
    example: "routes list --model gpt-5-mini",
  }))
    .option("--model <id>", "only this model's")
    .action((options: RoutesOptions) =>
      cli.administer(options, (admin) =>
        printList(cli, admin, options, {
          operation: listRoutes,
          input: options.model === undefined ? {} : { model: options.model },
          columns: COLUMNS,
          none: "No routes yet: write a catalogue file, then tollgate apply FILE",
        }))
    );
}

function statusText(
  { status, cooling_seconds, cooling_for: projects, missing_keys }: RouteRow,
): string {
  if (status === "no_key") return `no value for ${missing_keys.join(", ")}`;
  if (status !== "cooling_down" && status !== "circuit_open") return status;
  const whom = projects.length > 1 ? `${projects.length} projects` : projects[0];
  return `${status} ${cooling_seconds}s${whom === undefined ? "" : ` for ${whom}`}`;
}

/** Such as `0.25/2.00` (input/output) or `0.01/s`. */
function priceText({ price }: RouteRow): string {
  if (price === null) return "-";
  const { second } = price;
  if (typeof second === "object") return `${Object.values(second).map(short).join("|")}/s`;
  if (second !== undefined) return `${short(second)}/s`;
  return [price.input, price.output].filter((rate) => rate !== undefined).map(short).join("/");
}

/** At least two digits after the point, no zeros beyond. */
function short(amount: string): string {
  return amount.replace(/(\.\d{2}\d*?)0+$/, "$1");
}
