/**
 * Gathers the process settings: flags, then `TOLLGATE_*` variables, then the
 * config file, then defaults; and remembers where each value came from.
 *
 * @module
 */

import { resolve } from "node:path";
import { wordDocumentIssue } from "../documents/check_document.ts";
import { didYouMean } from "../documents/did_you_mean.ts";
import type { Problem } from "../documents/problem.ts";
import { ALERT_CAUSES } from "../domain/alert.ts";
import { isWebhookSecret } from "../domain/webhook.ts";
import { systemClock } from "../domain/clock.ts";
import { isS3 } from "../domain/s3_address.ts";
import { isSecretReference } from "../domain/secret_uses.ts";
import type { ConfigFileRead, Given } from "./config_file.ts";
import { OTLP_HEADERS_HINT, parseOtlpHeaders } from "./otlp_headers.ts";
import { formatListenAddress } from "./listen_address.ts";
import { defaultDataDir } from "./paths.ts";
import { type Settings, toSettings, type Values } from "./process_settings.ts";
import { createSecretResolver } from "./secrets.ts";
import { SETTING_FIELDS, type SettingField, type SettingName, settingsSchema } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";
import { kindOfHost } from "../domain/public_address.ts";
import { shownTarget } from "./alert_fields.ts";
import { problemsOfAlerts } from "./alert_problems.ts";
import { problemsOfDatabase } from "./database_problems.ts";
import { problemsOfOidc } from "./oidc_fields.ts";
import { formatQuietHours } from "./quiet_hours.ts";

/** One line of `config show`. */
export interface ShownSetting {
  readonly name: SettingName;
  /** `null` where there is none; secrets are masked. */
  readonly value: string | number | boolean | null;
  /** `flag --listen`, `variable TOLLGATE_LISTEN`, `settings.yaml:3:9`, `default`, … */
  readonly source: string;
}

/** Settings that are good. */
export interface FoundSettings {
  /** Deeply frozen. */
  readonly settings: Settings;
  readonly shown: readonly ShownSetting[];
}

/** What became of the settings. */
export type LoadedSettings =
  | FoundSettings & { readonly ok: true; readonly warnings: readonly Problem[] }
  | {
    readonly ok: false;
    readonly problems: readonly Problem[];
    readonly warnings: readonly Problem[];
  };

/** Values of flags by setting name, and `config`, the path of the config file. */
export type FlagValues = { readonly [name in SettingName | "config"]?: string | undefined };

/** Names the config file where the flag does not. */
const CONFIG_VARIABLE = "TOLLGATE_CONFIG";
const MASK = "(hidden)";
/** Shorter keys than this can be guessed. */
const GOOD_KEY_LENGTH = 16;

/** Paths; in flags and variables they are relative to the working folder. */
const PATHS: readonly SettingName[] = [
  "data_dir",
  "database_ca",
  "catalog",
  "archive_dir",
  "backup_to",
];

/** Picks the settings out of options whose names are in camel case, as commander gives them. */
export function flagsFromOptions(options: Readonly<Record<string, unknown>>): FlagValues {
  const names = ["config", ...SETTING_FIELDS.map(({ name }) => name)];
  const flags: Record<string, string> = {};
  for (const name of names) {
    const camel = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    const value = options[camel];
    if (typeof value === "string") flags[name] = value;
  }
  return flags;
}

/** Reads all sources and reports every bad value at once. */
export async function loadSettings(
  flags: FlagValues,
  around: Surroundings,
): Promise<LoadedSettings> {
  const problems: Problem[] = [];
  const warnings = unknownVariables(around);
  const file = await loadConfigFile(flags, around);
  problems.push(...file.problems);
  const values: { [name: string]: unknown } = {};
  const sources: { [name: string]: string } = {};

  for (const field of SETTING_FIELDS) {
    const candidates = [
      fromFlag(field, flags, problems),
      fromVariable(field, around, problems),
      file.given.get(field.name),
    ];
    const winner = candidates.find((candidate) => candidate !== undefined);
    values[field.name] = winner === undefined
      ? settingsSchema.shape[field.name].parse(undefined)
      : PATHS.includes(field.name) && !isBucket(field.name, winner.value)
      ? resolve(around.cwd, String(winner.value))
      : winner.value;
    sources[field.name] = winner?.source ?? "default";
  }

  for (const { name } of SETTING_FIELDS.filter(({ secret }) => secret)) {
    const found = resolveSecret(name, { value: values[name], source: sources[name]! }, around);
    if (found.problem !== undefined) problems.push(found.problem);
    values[name] = found.value;
    if (name === "otlp_headers") {
      if (parseOtlpHeaders(found.value) !== undefined) continue;
      problems.push({ source: sources[name]!, path: name, message: OTLP_HEADERS_HINT });
    } else if (
      name !== "database_url" && found.value !== undefined && found.value.length < GOOD_KEY_LENGTH
    ) {
      const message = `Shorter than ${GOOD_KEY_LENGTH} characters: it can be guessed`;
      warnings.push({ source: sources[name]!, path: name, message });
    }
  }
  if (values.metrics === "on" && (values.metrics_token ?? values.admin_key) === undefined) {
    problems.push({ source: sources.metrics!, path: "metrics", message: OPEN_METRICS });
  }

  const guardProblem = problemOfGuardSecret(values.guard_secret, sources.guard_secret!, around);
  if (guardProblem !== undefined) problems.push(guardProblem);
  const privateGuard = problemOfGuardUrl(values, sources.guard_url!);
  if (privateGuard !== undefined) problems.push(privateGuard);

  if (values.films_redirect === "on" && values.s3_url === undefined) {
    problems.push({ source: sources.films_redirect!, path: "films_redirect", message: NO_BUCKET });
  }
  if (!problems.some(({ path }) => path === "database_url")) {
    problems.push(...problemsOfDatabase(values, sources));
  }
  problems.push(...problemsOfAlerts(values, sources, around));
  if (!problems.some(({ path }) => path.startsWith("oidc_"))) {
    problems.push(...problemsOfOidc(values, sources, around));
  }

  // A faulty value or file may have meant to name one.
  const isKnown = file.problems.length === 0 && !problems.some(({ path }) => path === "data_dir");
  if (values.data_dir === undefined && isKnown) {
    const choice = defaultDataDir(around);
    values.data_dir = choice?.path;
    if (choice !== undefined) sources.data_dir = choice.source;
    else problems.push({ source: "default", path: "data_dir", message: NO_DATA_DIR });
  }
  if (problems.length > 0) return { ok: false, problems, warnings };
  const checked = values as Values & { data_dir: string };
  return {
    ok: true,
    settings: toSettings(checked),
    shown: SETTING_FIELDS.map((field) => show(field, checked, sources[field.name]!)),
    warnings,
  };
}

function isBucket(name: SettingName, value: unknown): boolean {
  return name === "backup_to" && isS3(String(value));
}

/** A proxy in front may let anybody in, so that not even loopback says who asks. */
const OPEN_METRICS = "Nobody could be told from a caller: set TOLLGATE_METRICS_TOKEN or " +
  "TOLLGATE_ADMIN_KEY, or give an address of its own, such as --metrics 127.0.0.1:9464";

const NO_BUCKET = "There is no bucket to send anybody to without s3_url";

const NO_DATA_DIR = "No folder to keep data in: set --data-dir or TOLLGATE_DATA_DIR";

async function loadConfigFile(
  flags: FlagValues,
  { env, cwd }: Surroundings,
): Promise<ConfigFileRead> {
  const name = flags.config ?? (env[CONFIG_VARIABLE] || undefined);
  const source = flags.config === undefined ? `variable ${CONFIG_VARIABLE}` : "flag --config";
  if (name === undefined) return { given: NO_GIVEN, problems: [] };
  const { readConfigFile } = await import("./config_file.ts");
  return readConfigFile(name, { cwd, source });
}

const NO_GIVEN: ReadonlyMap<SettingName, Given> = new Map();

function fromFlag(
  field: SettingField,
  flags: FlagValues,
  problems: Problem[],
): Given | undefined {
  const text = flags[field.name];
  if (text === undefined || field.flag === undefined) return undefined;
  return checkText(field, { value: text, source: `flag ${field.flag}` }, problems);
}

function fromVariable(
  field: SettingField,
  { env }: Surroundings,
  problems: Problem[],
): Given | undefined {
  const text = env[field.variable];
  // An empty variable is how unit and compose files write "not set".
  if (text === undefined || text === "") return undefined;
  return checkText(field, { value: text, source: `variable ${field.variable}` }, problems);
}

function checkText(
  field: SettingField,
  { value, source }: { value: string; source: string },
  problems: Problem[],
): Given | undefined {
  // A flag's or variable's digits stand for a number; anything else is refused by the schema.
  const digits = field.numeric === "number" ? /^-?\d{1,15}(?:\.\d{1,9})?$/ : /^-?\d{1,15}$/;
  const typed = field.numeric !== undefined && digits.test(value) ? Number(value) : value;
  const result = settingsSchema.shape[field.name].safeParse(typed);
  if (result.success) return { value: result.data, source };
  for (const issue of result.error.issues) {
    const message = field.numeric !== undefined && typeof typed === "string"
      ? `Expected a ${field.numeric === "integer" ? "whole " : ""}number`
      : wordDocumentIssue(issue, []);
    problems.push({ source, path: field.name, message });
  }
  return undefined;
}

/** The value of a secret setting, which may be a reference to it. */
function resolveSecret(
  name: SettingName,
  { value, source }: { readonly value: unknown; readonly source: string },
  { env }: Surroundings,
): { readonly value?: string; readonly problem?: Problem } {
  if (typeof value !== "string") return {};
  if (!isSecretReference(value)) return { value };
  const result = createSecretResolver({ env, clock: systemClock }).resolve(value);
  if (result.ok) return { value: result.value };
  return { problem: { source, path: name, message: result.message } };
}

/** Nobody may ask it: each request would be answered 503. What a name leads to is looked at later. */
function problemOfGuardUrl(
  { guard_url: url, webhook_private_addresses: allowsPrivate }: Partial<Values>,
  source: string,
): Problem | undefined {
  if (url === undefined || allowsPrivate === true) return undefined;
  if (kindOfHost(new URL(url).hostname) !== "private") return undefined;
  const message =
    "Leads to a loopback or private address, which nobody may ask: set webhook_private_addresses " +
    "to true (--webhook-private-addresses true), which allows callback_url there as well";
  return { source, path: "guard_url", message };
}

/** It is read again whenever it signs: a start without it would be one without signatures. */
function problemOfGuardSecret(
  value: unknown,
  source: string,
  { env, secretsAreElsewhere }: Surroundings,
): Problem | undefined {
  if (typeof value !== "string" || secretsAreElsewhere === true) return undefined;
  const result = createSecretResolver({ env, clock: systemClock }).resolve(value);
  const problem = (message: string) => ({ source, path: "guard_secret", message });
  if (!result.ok) return problem(result.message);
  if (isWebhookSecret(result.value)) return undefined;
  return problem(
    `${value} is not 'whsec_' and base64 of 24 to 64 bytes: echo "whsec_$(openssl rand -base64 32)" makes one`,
  );
}

function unknownVariables({ env }: Surroundings): Problem[] {
  const known = [...SETTING_FIELDS.map(({ variable }) => variable), CONFIG_VARIABLE];
  return Object.keys(env).filter((name) => name.startsWith("TOLLGATE_") && !known.includes(name))
    .sort().map((name) => {
      const near = didYouMean(name, known);
      const hint = near === undefined ? "" : `: did you mean ${near}?`;
      return { source: `variable ${name}`, path: "", message: `No setting has this name${hint}` };
    });
}

function show({ name, secret }: SettingField, values: Values, source: string): ShownSetting {
  const value = values[name];
  if (value === undefined) return { name, value: null, source };
  if (secret) return { name, value: MASK, source };
  return { name, value: shownValue(name, value), source };
}

function shownValue(
  name: SettingName,
  value: NonNullable<Values[SettingName]>,
): string | number | boolean {
  if (value === ALERT_CAUSES) return "all";
  if (name === "backup_every") return `${Number(value) / 3_600_000}h`;
  if (typeof value !== "object") return value;
  if ("hostname" in value) return formatListenAddress(value);
  if ("zone" in value) return formatQuietHours(value);
  return value.map((item) => typeof item === "string" ? item : shownTarget(item)).join(",");
}
