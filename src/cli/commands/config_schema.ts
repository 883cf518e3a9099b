/**
 * `tollgate config schema [catalogue|settings]`
 *
 * @module
 */

import { Argument, type Command } from "commander";
import { catalogueJsonSchema } from "../../catalog/json_schema.ts";
import { settingsJsonSchema } from "../../config/settings.ts";
import type { Cli } from "../cli.ts";

const SCHEMAS = { catalogue: catalogueJsonSchema, settings: settingsJsonSchema } as const;

/** Makes the command. */
export function configSchema(cli: Cli): Command {
  return cli.command("schema", {
    summary: "Print the JSON Schema of the catalogue file or the settings file",
    example: "config schema > tollgate.schema.json",
  })
    .addArgument(
      new Argument("[file]", "which one").choices(["catalogue", "settings"]).default("catalogue"),
    )
    .option("--json", "JSON is the only form there is")
    .action((file: keyof typeof SCHEMAS) => cli.printJson(SCHEMAS[file]()));
}
