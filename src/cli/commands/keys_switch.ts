/**
 * `tollgate keys enable|disable KEY_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { disableKey, enableKey } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { stateOf } from "./key_output.ts";

/** Makes `enable` or `disable`. */
export function keysSwitch(cli: Cli, name: "enable" | "disable"): Command {
  const operation = name === "enable" ? enableKey : disableKey;
  return cli.adminCommand(name, {
    summary: name === "enable" ? "Let a key be used again" : "Refuse a key, at once",
    example: `keys ${name} key_x3yk2q`,
  })
    .argument("<key-id>", "id of the key, or how its id or the key itself begins")
    .action((keyId: string, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const key = await admin.call(operation, { key_id: keyId });
        cli.printFacts(key, {
          json: options.json,
          facts: [["id", key.id], ["project", key.project], ["state", stateOf(key)]],
        });
      })
    );
}
