/**
 * The process settings as options, made from their one description.
 *
 * @module
 */

import { type Command, Option } from "commander";
import { SETTING_FIELDS, type SettingName } from "../../config/settings.ts";
import { HELP_WIDTH } from "./terminal.ts";

/** The settings that every user meets; the others stand under a heading of their own. */
const FIRST: ReadonlySet<SettingName> = new Set(["listen", "data_dir", "base_url", "catalog"]);

/**
 * Adds an option for every setting that has a flag, and names the variables.
 * Without some, there is no settings file either, since it could set those.
 */
export function addSettingOptions(
  command: Command,
  { without = [] }: { readonly without?: readonly SettingName[] } = {},
): Command {
  const fields = SETTING_FIELDS.filter(({ flag, name }) =>
    flag !== undefined && !without.includes(name)
  );
  for (const isFirst of [true, false]) {
    if (!isFirst) command.optionsGroup("Further settings:");
    for (const field of fields.filter(({ name }) => FIRST.has(name) === isFirst)) {
      const standard = field.defaultText === undefined ? "" : ` Default: ${field.defaultText}.`;
      const option = new Option(
        `${field.flag} <${field.placeholder}>`,
        `${field.description}${standard} [${field.variable}]`,
      );
      command.addOption(field.repeatable ? option.argParser(joined) : option);
    }
    if (isFirst && without.length === 0) {
      command.option("--config <FILE>", "Settings file (YAML). [TOLLGATE_CONFIG]");
    }
  }
  return command.addHelpText("after", ({ command }) => secretsHelp(command));
}

/** Several of one option are one text, as the variable has them. */
function joined(text: string, before?: string): string {
  return before === undefined ? text : `${before} ${text}`;
}

function secretsHelp(command: Command): string {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: HELP_WIDTH });
  const fields = SETTING_FIELDS.filter(({ flag }) => flag === undefined);
  const width = Math.max(...fields.map(({ variable }) => variable.length));
  const lines = fields.map(({ variable, description }) =>
    help.formatItem(variable, width, description, help)
  );
  return `\nSizes in BYTES take units: 10MB, 1.5GiB.\n\nOnly as a variable or in the settings file:\n${
    lines.join("\n")
  }`;
}
