/**
 * `tollgate config …`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { showConfig, showSchema } from "../../admin/local/config.ts";
import { showSettings } from "../../admin/process.ts";
import type { SettingView } from "../../admin/base/shown_setting.ts";
import { runLocalOperation } from "../../admin/base/run_operation.ts";
import { catalogueJsonSchema } from "../../catalog/file_schema.ts";
import { flagsFromOptions, loadSettings } from "../../config/load_settings.ts";
import { settingsJsonSchema } from "../../config/settings.ts";
import { formatProblem } from "../../documents/problem.ts";
import { badSettings, type Cli } from "../base/cli.ts";
import { isListening, serverClient } from "../base/control_client.ts";
import { CommandFailure } from "../base/failure.ts";
import { findTarget, type Target } from "../base/find_server.ts";
import { localCommand } from "../operations/operation_command.ts";
import { addSettingOptions } from "../base/setting_options.ts";

interface Options {
  readonly json?: boolean;
  readonly running?: boolean;
}

export function config(cli: Cli): readonly Command[] {
  return [show(cli), schema(cli)];
}

function show(cli: Cli): Command {
  const command = cli.command("show", {
    summary: "Show every setting and where it comes from",
    description:
      "Show every setting that `serve` would run with here, and where it comes from: a " +
      "server that runs already may have been started with others, which --running shows. " +
      "Secrets are masked.",
    example: "config show --listen 0.0.0.0:8080",
  }).option("--json", "print JSON")
    .option("--running", "those that the server which runs was started with");
  return addSettingOptions(command).action(async (options: Options) => {
    const loaded = await loadSettings(flagsFromOptions({ ...options }), cli.terminal.around);
    cli.warn(loaded.warnings.map(formatProblem));
    if (!loaded.ok) throw badSettings(loaded.problems);
    const { dataDir } = loaded.settings;
    const { server } = findTarget({ dataDir, isChosen: true }, cli.terminal.around);
    const shown = options.running === true
      ? await ofServer(server, dataDir)
      : await runLocalOperation(showConfig, { deps: loaded, input: {} });
    cli.printRows(shown, {
      json: options.json,
      columns: [
        { header: "SETTING", value: ({ name }) => name },
        { header: "VALUE", value: ({ value }) => value === null ? "-" : String(value) },
        { header: "SOURCE", value: ({ source }) => source },
      ],
      none: "",
    });
    if (options.running !== true && server !== undefined && await isListening(server.socket)) {
      cli.say(
        `The server with process id ${server.pid} runs already: this is what a start now would ` +
          "use, and --running shows what that one was started with",
      );
    }
  });
}

async function ofServer(
  server: Target["server"],
  dataDir: string,
): Promise<readonly SettingView[]> {
  if (server === undefined || !await isListening(server.socket)) {
    throw new CommandFailure(
      `No server runs on ${dataDir}: leave out --running for what a start would use, or name ` +
        "another data dir with --data-dir",
    );
  }
  const client = serverClient({ socketPath: server.socket, user: undefined });
  return (await client.call(showSettings, {})).settings;
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
