/**
 * The options that say what stands in the unit, and the plan made from them.
 *
 * @module
 */

import type { Command } from "commander";
import { resolve } from "node:path";
import { flagsFromOptions, loadSettings } from "../../config/load_settings.ts";
import { CREDENTIAL_NAME } from "../../config/secrets.ts";
import { SETTING_FIELDS } from "../../config/settings.ts";
import { isS3 } from "../../domain/s3_address.ts";
import { badSettings, type Cli } from "../base/cli.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { SERVICE_DATA_DIR } from "../base/find_server.ts";
import { addSettingOptions } from "../base/setting_options.ts";
import { checkBackupFolders } from "./backup_folders.ts";
import { checkOpenToAll, isWithin } from "./check_paths.ts";
import { PLAIN_PATH, type UnitPlan } from "./unit_text.ts";

/** What `addUnitOptions` adds, as commander gives it. */
export interface UnitOptions {
  readonly credential?: readonly string[];
  readonly backupDir?: readonly string[];
  readonly [setting: string]: unknown;
}

/** Settings that are secrets: a credential of such a name is one. */
const SECRET_SETTINGS = SETTING_FIELDS.filter(({ secret }) => secret);

/** Adds the settings of the server, but the data dir, which is systemd's; its secrets and folders. */
export function addUnitOptions(command: Command): Command {
  command.option(
    "--credential <NAME=FILE>",
    "A secret that only the server may read, for credential:NAME in the catalogue; several are " +
      `possible. One named ${
        SECRET_SETTINGS.map(({ name }) => name).join(" or ")
      } is that setting.`,
    collect,
  ).option(
    "--backup-dir <DIR>",
    "A folder for backups and archives alone, which the unit makes and gives to the server " +
      "besides its data; several are possible.",
    collect,
  );
  return addSettingOptions(command, { without: ["data_dir"] });
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** What a plan is made with. */
export interface PlanOptions {
  readonly cli: Cli;
  /** Absolute path, as in {@linkcode UnitPlan}. */
  readonly executable: string;
  /** The tree that the files named are in; default: this machine's own. */
  readonly root?: string;
  /** Set where the unit is only looked at: a secret that is not there yet is warned of. */
  readonly isPrinted?: true;
}

/** The plan, with everything checked that can be; what may be a mistake is warned of. */
export async function planUnit(
  options: UnitOptions,
  { cli, executable, root = "", isPrinted }: PlanOptions,
): Promise<UnitPlan> {
  const { around } = cli.terminal;
  const flags = flagsFromOptions(options);
  const credentials = (options.credential ?? []).map((text) =>
    readCredential(text, { cli, root, isPrinted })
  );
  const names = credentials.map(({ name }) => name);
  const secrets = SECRET_SETTINGS.filter(({ name }) => names.includes(name));
  // Only the server may read their files: the settings are checked as if they had been.
  const standIns = secrets.map(({ variable }) => [variable, `x=${"x".repeat(32)}`]);
  const env = { STATE_DIRECTORY: SERVICE_DATA_DIR, ...Object.fromEntries(standIns) };
  const loaded = await loadSettings(flags, { ...around, env, secretsAreElsewhere: true });
  if (!loaded.ok) throw badSettings(loaded.problems);
  const { listen, drainTimeoutMs, catalog, backups: { folder: backup_to } } = loaded.settings;
  const folders = options.backupDir ?? [];
  const isWritable = backup_to === undefined || isS3(backup_to) ||
    [SERVICE_DATA_DIR, ...folders].some((folder) => isWithin(backup_to, folder));
  if (catalog !== undefined) {
    checkOpenToAll(catalog, {
      what: "the catalogue file",
      mode: "read",
      root,
      remedy: "Move it, such as to /etc/tollgate, and let all users read it: it holds no secrets",
    });
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrongUsage(`The credential ${twice} is given twice`);
  return {
    executable,
    variables: {
      ...Object.fromEntries(secrets.map(({ name, variable }) => [variable, `credential:${name}`])),
      ...variablesOf({ ...flags, catalog, backup_to }),
    },
    credentials,
    backupFolders: checkBackupFolders(isWritable ? folders : [...folders, backup_to], { root }),
    drainTimeoutMs,
    hasLowPort: listen.port > 0 && listen.port < 1024,
  };
}

function variablesOf(flags: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const { name, variable } of SETTING_FIELDS) {
    const value = flags[name];
    if (value === undefined) continue;
    // deno-lint-ignore no-control-regex -- a line break would begin a line of the unit
    if (/[\u0000-\u001f\u007f]/.test(value)) {
      throw wrongUsage(`Cannot write ${variable} into a unit: it holds a control character`);
    }
    variables[variable] = value;
  }
  return variables;
}

function readCredential(
  text: string,
  { cli, root, isPrinted }: Pick<PlanOptions, "cli" | "isPrinted"> & {
    readonly root: string;
  },
): UnitPlan["credentials"][number] {
  const [, name = "", file = ""] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  if (!CREDENTIAL_NAME.test(name)) {
    throw wrongUsage(
      "Expected --credential NAME=FILE, with a name of letters, digits, _, - and . such as openai",
    );
  }
  const path = resolve(cli.terminal.around.cwd, file);
  if (!PLAIN_PATH.test(path)) {
    throw wrongUsage(`Cannot load the credential ${name} from ${path}: use a plain path`);
  }
  const found = lookAt(root + path);
  if (found === "hidden") {
    cli.warn([`Only root sees whether there is a file ${root}${path}: put the secret there`]);
    return { name, path };
  }
  if (found === undefined && isPrinted === true) {
    cli.warn([
      `There is no file ${path} yet: put the secret of the credential ${name} there before the ` +
      `service starts, such as with \`install -m 600 /dev/stdin ${path}\``,
    ]);
    return { name, path };
  }
  if (found?.isFile !== true) {
    throw new CommandFailure(
      `Cannot load the credential ${name}: there is no file ${root}${path}. Put the secret there first`,
    );
  }
  if (found.mode !== null && (found.mode & 0o077) !== 0) {
    cli.warn([`${root}${path} is open to other users than its owner: make it chmod 600`]);
  }
  return { name, path };
}

/** `hidden` in a folder that only others may look into, as `service print` may well meet. */
function lookAt(path: string): Deno.FileInfo | "hidden" | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Deno.errors.PermissionDenied) return "hidden";
    throw error;
  }
}

function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT_USAGE });
}
