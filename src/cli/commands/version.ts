/**
 * `tollgate version`
 *
 * @module
 */

import type { Command } from "commander";
import { VERSION } from "../../version.ts";
import type { Cli } from "../base/cli.ts";
import { versionLine } from "../base/version_line.ts";

declare global {
  interface ImportMeta {
    /** Only in an executable, whose loader says so: what became of the cache of each script. */
    readonly startCaches?: () => Readonly<Record<string, "taken" | "refused">>;
  }
}

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
        // Whether the engine takes what was compiled when the executable was built.
        ...import.meta.startCaches && { start_caches: import.meta.startCaches() },
      };
      if (json === true) cli.printJson(facts);
      else cli.terminal.out(`${versionLine()}\n`);
    });
}
