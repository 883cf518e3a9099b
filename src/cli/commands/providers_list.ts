/**
 * `tollgate providers list`
 *
 * @module
 */

import type { Command } from "commander";
import { listProviders, type ProviderRow } from "../../admin/providers.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import type { Column } from "../table.ts";

const COLUMNS: readonly Column<ProviderRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "KIND", value: ({ kind }) => kind },
  { header: "ROUTES", value: ({ routes }) => routes, align: "right" },
  { header: "OFFICIAL", value: ({ official }) => official ? "yes" : "no" },
  { header: "KEY", value: ({ api_keys }) => api_keys.length === 0 ? "none" : api_keys.join(",") },
  { header: "BASE URL", value: ({ base_url }) => base_url ?? "-" },
];

/** Makes the command. */
export function providersList(cli: Cli): Command {
  return cli.adminCommand("list", {
    summary: "List providers",
    example: "providers list",
  }).action((options: CommonOptions) =>
    cli.administer(options, async (admin) => {
      cli.printRows(await admin.call(listProviders, {}), {
        json: options.json,
        columns: COLUMNS,
        none: "No providers yet: write a catalogue file, then tollgate apply FILE",
      });
    })
  );
}
