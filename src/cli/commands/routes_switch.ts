/**
 * `tollgate routes enable|disable|maintenance ROUTE`
 *
 * @module
 */

import type { Command } from "commander";
import { disableRoute, enableRoute, maintainRoute, type RouteRow } from "../../admin/routes.ts";
import type { AdminChannel } from "../admin_channel.ts";
import type { Cli, CommonOptions } from "../cli.ts";

interface MaintenanceOptions extends CommonOptions {
  readonly off?: true;
}

/** Makes `enable` or `disable`. */
export function routesSwitch(cli: Cli, name: "enable" | "disable"): Command {
  const operation = name === "enable" ? enableRoute : disableRoute;
  return cli.adminCommand(name, {
    summary: name === "enable"
      ? "Let a route serve again"
      : "Take a route out of service; calls under way go on",
    example: `routes ${name} openai/gpt-5-mini`,
  })
    .argument("<route>", "id of the route")
    .action((route: string, options: CommonOptions) =>
      change(cli, options, (admin) => admin.call(operation, { route }))
    );
}

/** Makes `maintenance`. */
export function routesMaintenance(cli: Cli): Command {
  return cli.adminCommand("maintenance", {
    summary: "Put a route into maintenance, or take it out (--off)",
    example: "routes maintenance openai/gpt-5-mini --off",
  })
    .argument("<route>", "id of the route")
    .option("--off", "take it out of maintenance")
    .action((route: string, options: MaintenanceOptions) =>
      change(
        cli,
        options,
        (admin) => admin.call(maintainRoute, { route, maintenance: options.off !== true }),
      )
    );
}

function change(
  cli: Cli,
  options: CommonOptions,
  call: (admin: AdminChannel) => Promise<RouteRow>,
): Promise<void> {
  return cli.administer(options, async (admin) => {
    const row = await call(admin);
    cli.printFacts(row, {
      json: options.json,
      facts: [["route", row.id], ["model", row.model], ["status", row.status]],
    });
  });
}
