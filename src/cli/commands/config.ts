/**
 * `tollgate config …`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { showConfig, showSchema } from "../../admin/local/config.ts";
import { runLocalOperation } from "../../admin/base/run_operation.ts";
import { catalogueJsonSchema } from "../../catalog/file_schema.ts";
import { flagsFromOptions, loadSettings } from "../../config/load_settings.ts";
import { settingsJsonSchema } from "../../config/settings.ts";
import { formatProblem } from "../../documents/problem.ts";
import { badSettings, type Cli } from "../base/cli.ts";
import { isListening } from "../base/control_client.ts";
import { findTarget } from "../base/find_server.ts";
import { localCommand } from "../operations/operation_command.ts";
import { addSettingOptions } from "../base/setting_options.ts";

export function config(cli: Cli): readonly Command[] {
  return [show(cli), schema(cli)];
}

function show(cli: Cli): Command {
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
    cli.printRows(await runLocalOperation(showConfig, { deps: loaded, input: {} }), {
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

function schema(cli: Cli): Command {
  return localCommand(cli, {
    operation: showSchema,
    example: "config schema > tollgate.schema.json",
    args: { file: "[file]" },
    isBare: true,
    extra: [new Option("--json", "JSON is the only form there is")],
    deps: () => ({ catalogue: catalogueJsonSchema, settings: settingsJsonSchema }),
    print: (document) => cli.printJson(document),
  });
}
