/**
 * The entry: hands the arguments to the command line and exits with its code.
 *
 * @module
 */

import { runCli } from "./src/cli/run_cli.ts";
import { startNoProgram } from "./src/cli/base/start_no_program.ts";
import { createTerminal } from "./src/cli/base/terminal.ts";

startNoProgram(Deno.args);
Deno.exit(await runCli(Deno.args, createTerminal((code) => Deno.exit(code))));
