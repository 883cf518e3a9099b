/**
 * `tollgate providers list`
 *
 * @module
 */

import type { Command } from "commander";
import { listProviders, type ProviderRow } from "../../admin/providers.ts";
import type { Cli } from "../cli.ts";
import type { Column } from "../table.ts";
import { addListOptions, type ListOptions, printList } from "./list_options.ts";

const COLUMNS: readonly Column<ProviderRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "KIND", value: ({ kind }) => kind },
  { header: "ROUTES", value: ({ routes }) => routes, align: "right" },
  { header: "OFFICIAL", value: ({ official }) => official ? "yes" : "no" },
  { header: "KEY", value: keysText },
  { header: "BASE URL", value: ({ base_url }) => base_url ?? "-" },
];

function keysText({ api_keys, key_states = [] }: ProviderRow): string {
  if (api_keys.length === 0) return "none";
  return api_keys.map((key) => {
    const { state, why = null } = key_states.find((one) => one.key === key) ?? {};
    if (state === "no_value") return `${key} has no value`;
    return why === null ? key : `${key} ${why}`;
  }).join(", ");
}

/** Makes the command. */
export function providersList(cli: Cli): Command {
  return addListOptions(cli.adminCommand("list", {
    summary: "List providers",
    example: "providers list",
  })).action((options: ListOptions) =>
    cli.administer(options, (admin) =>
      printList(cli, admin, options, {
        operation: listProviders,
        input: {},
        columns: COLUMNS,
        none: "No providers yet: write a catalogue file, then tollgate apply FILE",
      }))
  );
}
