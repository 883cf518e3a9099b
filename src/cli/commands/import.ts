/**
 * `tollgate import litellm|one-api|new-api FILE`
 *
 * @module
 */

import { dirname, resolve } from "node:path";
import { type Command, Option } from "commander";
import { runLocalOperation } from "../../admin/base/run_operation.ts";
import { importCatalogue } from "../../admin/local/import_catalogue.ts";
import { asArray, asObject } from "../../domain/json_value.ts";
import { parseYamlDocument } from "../../documents/yaml_document.ts";
import type { Cli } from "../base/cli.ts";
import { schemaCommand } from "../operations/schema_command.ts";
import { readText } from "./apply.ts";

export function importCommand(cli: Cli): Command {
  return schemaCommand(cli, {
    operation: importCatalogue,
    name: "import",
    description:
      "Write another gateway's configuration as a catalogue file: LiteLLM's config.yaml, " +
      "or the channels of One API and New API, as their `GET /api/channel/` answers them or as a " +
      "dump of the table channels (SQLite, MySQL, PostgreSQL). What has no equal is named. No key is " +
      "copied: each is named as a variable.",
    example: "import litellm config.yaml > tollgate.yaml",
    args: { form: "<form>", file: "<file>" },
    without: ["text", "included"],
    isBare: true,
    extra: [new Option("--json", "print JSON, with what has no equal")],
  }, async ({ input, options: { json } }) => {
    const { file } = input as { readonly file: string };
    const text = await readText(file, file);
    const included = await includedTexts(text, file);
    const answer = await runLocalOperation(importCatalogue, {
      deps: undefined,
      input: { ...input, text, included },
    });
    if (json === true) return cli.printJson(answer);
    cli.terminal.out(answer.text);
    for (const note of answer.notes) cli.say(note);
  });
}

/** The files that a configuration of LiteLLM includes, by their names there. */
async function includedTexts(text: string, file: string): Promise<Record<string, string>> {
  if (!/^include:/m.test(text)) return {};
  const parsed = parseYamlDocument(text, { file });
  const names = parsed.ok ? asArray(asObject(parsed.document.value)?.include) : [];
  const texts: Record<string, string> = {};
  for (const name of names) {
    if (typeof name !== "string") continue;
    const path = resolve(file === "-" ? "." : dirname(file), name);
    texts[name] = await readText(path, name);
  }
  return texts;
}
