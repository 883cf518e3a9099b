/**
 * `tollgate routes …`
 *
 * @module
 */

import type { Command } from "commander";
import * as z from "zod";
import { disableRoute, enableRoute, maintainRoute } from "../../admin/catalogue/route_switches.ts";
import {
  deleteRoute,
  listRoutes,
  type RouteRow,
  setRoute,
  showRoute,
} from "../../admin/catalogue/routes.ts";
import { routeSchema } from "../../catalog/route_schema.ts";
import { shortPrice } from "../../domain/money.ts";
import type { Cli } from "../base/cli.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";
import { type Column, type Facts, timeText } from "../base/table.ts";
import { pieceCommands } from "./pieces.ts";
import { routesExplain } from "./routes_explain.ts";

const COLUMNS: readonly Column<RouteRow>[] = [
  { header: "ROUTE", value: ({ id }) => id },
  { header: "MODEL", value: ({ model }) => model },
  { header: "PROVIDER", value: ({ provider }) => provider },
  { header: "STATUS", value: statusText },
  { header: "RISK", value: ({ risk_level }) => risk_level },
  { header: "PRIORITY", value: ({ priority }) => priority, align: "right" },
  { header: "WEIGHT", value: ({ weight }) => weight, align: "right" },
  { header: "PRICE", value: priceText },
  { header: "SWITCHED OFF", value: (row) => offText(row) ?? "-" },
];

const ID = { route: "<route>" };

export function routes(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listRoutes,
      description:
        "List routes with their state and price; tokens are priced per million, input/output.",
      example: "routes list --model gpt-5-mini",
      columns: () => COLUMNS,
      none: "No routes yet: write a catalogue file, then tollgate apply FILE",
    }),
    routesExplain(cli),
    factsCommand(cli, {
      operation: enableRoute,
      example: "routes enable openai/gpt-5-mini",
      args: ID,
      facts: switchFacts,
    }),
    factsCommand(cli, {
      operation: disableRoute,
      description: "Take a route out of service; calls under way go on. The reason is shown to " +
        "operators for as long as it is off, never to callers.",
      example: 'routes disable openai/gpt-5-mini --reason "bills twice"',
      args: ID,
      facts: switchFacts,
    }),
    factsCommand(cli, {
      operation: maintainRoute,
      summary: "Put a route into maintenance, or take it out (--off)",
      example: "routes maintenance openai/gpt-5-mini --off",
      args: ID,
      facts: switchFacts,
    }),
    ...pieceCommands(cli, {
      kind: "route",
      schema: routeSchema.extend({
        model: z.string().describe("The model that it serves; needed for a new route."),
      }),
      show: showRoute,
      set: setRoute,
      delete: deleteRoute,
      example: "openai/gpt-5-mini",
      exampleSettings:
        "--model gpt-5-mini --provider openai \\\n    --cost-input 0.25 --cost-output 2.00 --sale-markup 1.10",
    }),
  ];
}

function switchFacts(row: RouteRow): Facts {
  const { id, model, status } = row;
  return [["route", id], ["model", model], ["status", status], ["switched off", offText(row)]];
}

/** Such as `maintenance since 2026-11-22T10:00:00Z: new driver`; null where no operator has. */
function offText({ switched_off: notes = [] }: RouteRow): string | null {
  const texts = notes.map(({ switch: which, reason, since }) =>
    `${which} since ${timeText(since)}${reason === null ? "" : `: ${reason}`}`
  );
  return texts.length === 0 ? null : texts.join("; ");
}

function statusText(
  { status, cooling_seconds, cooling_for: projects, missing_keys }: RouteRow,
): string {
  if (status === "no_key") return `no value for ${missing_keys.join(", ")}`;
  if (status !== "cooling_down" && status !== "circuit_open") return status;
  const whom = projects.length > 1 ? `${projects.length} projects` : projects[0];
  return `${status} ${cooling_seconds}s${whom === undefined ? "" : ` for ${whom}`}`;
}

/** Such as `0.25/2.00` (input/output), `0.01/s`, or `0.01|0.02/s` where films differ. */
function priceText({ price }: RouteRow): string {
  if (price === null) return "-";
  const { second, when = [] } = price;
  const seconds = [second, ...when.map((one) => one.second)].filter((rate) => rate !== undefined);
  if (seconds.length > 0) return `${seconds.map((rate) => shortPrice(String(rate))).join("|")}/s`;
  return [price.input, price.output].filter((rate) => rate !== undefined).map(shortPrice).join("/");
}
