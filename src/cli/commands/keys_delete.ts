/**
 * `tollgate keys delete KEY_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { deleteKey } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";

/** Makes the command. */
export function keysDelete(cli: Cli): Command {
  return cli.adminCommand("delete", {
    summary: "Delete a key for good; its calls stay on record",
    example: "keys delete key_x3yk2q",
  })
    .argument("<key-id>", "id of the key, or how its id or the key itself begins")
    .action((keyId: string, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const answer = await admin.call(deleteKey, { key_id: keyId });
        cli.printFacts(answer, { json: options.json, facts: [["deleted", answer.id]] });
      })
    );
}
