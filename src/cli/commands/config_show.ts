/**
 * `tollgate config show`
 *
 * @module
 */

import type { Command } from "commander";
import { flagsFromOptions, loadSettings } from "../../config/load_settings.ts";
import { formatProblem } from "../../documents/problem.ts";
import { badSettings, type Cli } from "../cli.ts";
import { isListening } from "../control_client.ts";
import { findTarget } from "../find_server.ts";
import { addSettingOptions } from "../setting_options.ts";

/** Makes the command. */
export function configShow(cli: Cli): Command {
  const command = cli.command("show", {
    summary: "Show every setting and where it comes from",
    description:
      "Show every setting that `serve` would run with here, and where it comes from: a " +
      "server that runs already may have been started with others. " +
      "Secrets are masked.",
    example: "config show --listen 0.0.0.0:8080",
  }).option("--json", "print JSON");
  return addSettingOptions(command).action(async (options: { readonly json?: boolean }) => {
    const loaded = await loadSettings(flagsFromOptions({ ...options }), cli.terminal.around);
    cli.warn(loaded.warnings.map(formatProblem));
    if (!loaded.ok) throw badSettings(loaded.problems);
    cli.printRows(loaded.shown, {
      json: options.json,
      columns: [
        { header: "SETTING", value: ({ name }) => name },
        { header: "VALUE", value: ({ value }) => value === null ? "-" : String(value) },
        { header: "SOURCE", value: ({ source }) => source },
      ],
      none: "",
    });
    const { dataDir } = loaded.settings;
    const { server } = findTarget({ dataDir, isChosen: true }, cli.terminal.around);
    if (server !== undefined && await isListening(server.socket)) {
      cli.say(
        `The server with process id ${server.pid} runs already: this is what a start now would ` +
          "use, not what that one was started with",
      );
    }
  });
}
