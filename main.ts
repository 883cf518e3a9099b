/**
 * The entry: hands the arguments to the command line and exits with its code.
 *
 * @module
 */

import { VERSION } from "./src/version.ts";

const version = { version: VERSION, runtime: Deno.version.deno, standalone: Deno.build.standalone };
const [command, flag] = Deno.args;
if (command !== "version") Deno.exit(2);
await Deno.stdout.write(
  new TextEncoder().encode(flag === "--json" ? `${JSON.stringify(version)}\n` : `${VERSION}\n`),
);
