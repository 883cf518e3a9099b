/**
 * `tollgate keys enable|disable KEY_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { disableKey, enableKey } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { addKeyArgument, type NamedKeyOptions, nameKey } from "../name_key.ts";
import { stateOf } from "./key_output.ts";

/** Makes `enable` or `disable`. */
export function keysSwitch(cli: Cli, name: "enable" | "disable"): Command {
  const operation = name === "enable" ? enableKey : disableKey;
  const command = cli.adminCommand(name, {
    summary: name === "enable" ? "Let a key be used again" : "Refuse a key, at once",
    example: `keys ${name} key_x3yk2qvu7w5a`,
  });
  return addKeyArgument(command)
    .action((name: string, options: CommonOptions & NamedKeyOptions) =>
      cli.administer(options, async (admin) => {
        const key_id = await nameKey(cli, admin, { name, ...options });
        const key = await admin.call(operation, { key_id });
        cli.printFacts(key, {
          json: options.json,
          facts: [["id", key.id], ["project", key.project], ["state", stateOf(key)]],
        });
      })
    );
}
