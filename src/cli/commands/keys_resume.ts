/**
 * `tollgate keys resume KEY_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { resumeKey } from "../../admin/resume.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { addKeyArgument, type NamedKeyOptions, nameKey } from "../name_key.ts";
import { keyFacts } from "./key_output.ts";

/** Makes the command. */
export function keysResume(cli: Cli): Command {
  const command = cli.adminCommand("resume", {
    summary: "Let it spend again after its brake or a budget",
    description:
      "End a pause by the key's spend brake, and begin every budget of the key anew that is " +
      "reached: what was spent until now counts no more against it.",
    example: "keys resume key_x3yk2qvu7w5a",
  });
  return addKeyArgument(command)
    .action((name: string, options: CommonOptions & NamedKeyOptions) =>
      cli.administer(options, async (admin) => {
        const key_id = await nameKey(cli, admin, { name, ...options });
        const key = await admin.call(resumeKey, { key_id });
        cli.printFacts(key, { json: options.json, facts: keyFacts(key) });
      })
    );
}
