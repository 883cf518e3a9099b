/**
 * `tollgate keys resume KEY_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { resumeKey } from "../../admin/resume.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { keyFacts } from "./key_output.ts";

/** Makes the command. */
export function keysResume(cli: Cli): Command {
  return cli.adminCommand("resume", {
    summary: "Let it spend again after its brake or a budget",
    description:
      "End a pause by the key's spend brake, and begin every budget of the key anew that is " +
      "reached: what was spent until now counts no more against it.",
    example: "keys resume key_x3yk2q",
  })
    .argument("<key-id>", "id of the key, or how its id or the key itself begins")
    .action((keyId: string, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const key = await admin.call(resumeKey, { key_id: keyId });
        cli.printFacts(key, { json: options.json, facts: keyFacts(key) });
      })
    );
}
