/**
 * Reads the config file: process settings under their own names, in YAML or JSON.
 *
 * @module
 */

import { resolve } from "node:path";
import { checkDocument } from "../documents/check_document.ts";
import type { Problem } from "../documents/problem.ts";
import { parseYamlDocument } from "../documents/yaml_document.ts";
import { isSecretReference } from "../domain/secret_uses.ts";
import { SETTING_FIELDS, type SettingName, settingsSchema } from "./settings.ts";

/** One value that was given, checked, and its place. */
export interface Given {
  readonly value: unknown;
  readonly source: string;
}

/** What a config file gives, or everything that is wrong with it. */
export interface ConfigFileRead {
  readonly given: ReadonlyMap<SettingName, Given>;
  readonly problems: readonly Problem[];
}

/**
 * Reads the file `name`. Paths in it are relative to the file, wherever the
 * process was started; a secret must be a reference, since files get copied.
 *
 * @param options.source Who named the file, for a file that cannot be read.
 */
export async function readConfigFile(
  name: string,
  { cwd, source }: { cwd: string; source: string },
): Promise<ConfigFileRead> {
  let text: string;
  try {
    text = await Deno.readTextFile(resolve(cwd, name));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason = error instanceof Deno.errors.NotFound ? "it does not exist" : error.message;
    return refuse([{ source, path: "config", message: `Cannot read '${name}': ${reason}` }]);
  }
  const parsed = parseYamlDocument(text, { file: name });
  if (!parsed.ok) return refuse(parsed.problems);
  const { document } = parsed;
  const checked = checkDocument(settingsSchema, document);
  if (!checked.ok) return refuse(checked.problems);

  const given = new Map<SettingName, Given>();
  for (const key of Object.keys(document.value as object) as SettingName[]) {
    const value = checked.value[key];
    const isPath = key === "data_dir" || key === "catalog";
    const place = document.locate([key]);
    if (SECRETS.has(key) && !isSecretReference(String(value))) {
      return refuse([{ source: place, path: key, message: LITERAL_SECRET }]);
    }
    given.set(key, {
      value: isPath ? resolve(cwd, name, "..", String(value)) : value,
      source: place,
    });
  }
  return { given, problems: [] };
}

const SECRETS: ReadonlySet<SettingName> = new Set(
  SETTING_FIELDS.filter(({ secret }) => secret).map(({ name }) => name),
);

const LITERAL_SECRET =
  "Expected a reference, not the key itself: write env:NAME, file:/path or credential:NAME";

function refuse(problems: readonly Problem[]): ConfigFileRead {
  return { given: new Map(), problems };
}
