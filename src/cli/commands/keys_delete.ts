/**
 * `tollgate keys delete KEY_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { deleteKey } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { addKeyArgument, type NamedKeyOptions, nameKey } from "../name_key.ts";

/** Makes the command. */
export function keysDelete(cli: Cli): Command {
  const command = cli.adminCommand("delete", {
    summary: "Delete a key for good; its calls stay on record",
    example: "keys delete key_x3yk2qvu7w5a",
  });
  return addKeyArgument(command)
    .action((name: string, options: CommonOptions & NamedKeyOptions) =>
      cli.administer(options, async (admin) => {
        const key_id = await nameKey(cli, admin, { name, ...options });
        const answer = await admin.call(deleteKey, { key_id });
        cli.printFacts(answer, { json: options.json, facts: [["deleted", answer.id]] });
      })
    );
}
