/**
 * `tollgate routes list`
 *
 * @module
 */

import type { Command } from "commander";
import { listRoutes, type RouteRow } from "../../admin/routes.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import type { Column } from "../table.ts";

interface ListOptions extends CommonOptions {
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
  return cli.adminCommand("list", {
    summary: "List routes with their state and price",
    description:
      "List routes with their state and price; tokens are priced per million, input/output.",
    example: "routes list --model gpt-5-mini",
  })
    .option("--model <id>", "only this model's")
    .action((options: ListOptions) =>
      cli.administer(options, async (admin) => {
        const input = options.model === undefined ? {} : { model: options.model };
        cli.printRows(await admin.call(listRoutes, input), {
          json: options.json,
          columns: COLUMNS,
          none: "No routes yet: write a catalogue file, then tollgate apply FILE",
        });
      })
    );
}

function statusText({ status, cooling_seconds }: RouteRow): string {
  return cooling_seconds > 0 && status !== "disabled" && status !== "maintenance"
    ? `${status} ${cooling_seconds}s`
    : status;
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
