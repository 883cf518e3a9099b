/**
 * `tollgate import litellm|one-api FILE`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { runLocalOperation } from "../../admin/base/run_operation.ts";
import { importCatalogue } from "../../admin/local/import_catalogue.ts";
import type { Cli } from "../base/cli.ts";
import { schemaCommand } from "../operations/schema_command.ts";
import { readText } from "./apply.ts";

export function importCommand(cli: Cli): Command {
  return schemaCommand(cli, {
    operation: importCatalogue,
    name: "import",
    description:
      "Write another gateway's configuration as a catalogue file: LiteLLM's config.yaml, " +
      "or the channels of One API and New API as their `GET /api/channel/` answers them. What has " +
      "no equal is named. No key is copied: each is named as a variable.",
    example: "import litellm config.yaml > tollgate.yaml",
    args: { form: "<form>", file: "<file>" },
    without: ["text"],
    isBare: true,
    extra: [new Option("--json", "print JSON, with what has no equal")],
  }, async ({ input, options: { json } }) => {
    const { file } = input as { readonly file: string };
    const text = await readText(file, file);
    const answer = await runLocalOperation(importCatalogue, {
      deps: undefined,
      input: { ...input, text },
    });
    if (json === true) return cli.printJson(answer);
    cli.terminal.out(answer.text);
    for (const note of answer.notes) cli.say(note);
  });
}
