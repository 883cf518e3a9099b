/**
 * `tollgate version`
 *
 * @module
 */

import type { Command } from "commander";
import { VERSION } from "../../version.ts";
import type { Cli } from "../cli.ts";

/** Makes the command. */
export function version(cli: Cli): Command {
  return cli.command("version", {
    summary: "Show the version and the runtime inside",
    example: "version --json",
  })
    .option("--json", "print JSON")
    .action(({ json }: { readonly json?: boolean }) => {
      const facts = {
        version: VERSION,
        runtime: Deno.version.deno,
        standalone: Deno.build.standalone,
      };
      if (json === true) cli.printJson(facts);
      else cli.terminal.out(`${versionLine()}\n`);
    });
}

/** Such as `tollgate 0.1.0 (executable, Deno 2.9.6)`. */
export function versionLine(): string {
  const form = Deno.build.standalone ? "executable" : "from source";
  return `tollgate ${VERSION} (${form}, Deno ${Deno.version.deno})`;
}
