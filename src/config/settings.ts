/**
 * The settings of the process, described once: names, types, defaults and help
 * texts of flags, `TOLLGATE_*` variables and the config file.
 *
 * @module
 */

import * as z from "zod";
import { ALERT_FIELDS } from "./alert_fields.ts";
import { BACKUP_FIELDS } from "./backup_fields.ts";
import { DATABASE_FIELDS } from "./database_fields.ts";
import { FILM_FIELDS } from "./film_fields.ts";
import { DELETED_VIDEO_CHARGES } from "../domain/call.ts";
import { byteSize } from "../documents/byte_size.ts";
import { LISTEN_HINT, parseListenAddress } from "./listen_address.ts";
import { isSecretReference } from "../domain/secret_uses.ts";
import { parseOrigins } from "./browser_origins.ts";
import { NETWORKS_HINT, parseNetworks } from "./trusted_networks.ts";
import { OIDC_FIELDS } from "./oidc_fields.ts";
import { faultOfPublicUrl } from "./public_url.ts";

const MAX_MS = 86_400_000;

/** Each step of such a chain makes another schema, and every start makes all of these. */
const whole = (min: number, max: number, placeholder: string) =>
  z.int().check(z.gte(min), z.lte(max)).register(z.globalRegistry, { placeholder });
const milliseconds = whole(1, MAX_MS, "MS");
const count = (min: number, max: number) => whole(min, max, "N");
const sizeFrom = (min: number) =>
  byteSize({ min, max: 1024 ** 4 }).register(z.globalRegistry, { placeholder: "BYTES" });
const bytes = sizeFrom(1024);
/** Flags and variables are texts, in a file it is a boolean. */
const trueOrFalse = z.union([z.boolean(), z.enum(["true", "false"])], "Expected true or false")
  .transform((value) => value === true || value === "true")
  .register(z.globalRegistry, { placeholder: "BOOLEAN" });

/** What goes into a header as it is. */
const TOKEN = /^[\x21-\x7e]{1,512}$/;
const TOKEN_HINT = "Expected printable ASCII without spaces";

const path = z.string().min(1).refine((text) => !text.includes("\0"), "Expected a path");

/** The schema of the config file; flags and variables have the same names and types. */
export const settingsSchema = z.strictObject({
  listen: z.string().transform((text, context) => {
    const address = parseListenAddress(text);
    if (address !== undefined) return address;
    context.addIssue({ code: "custom", message: LISTEN_HINT });
    return z.NEVER;
  }).prefault("127.0.0.1:8080").meta({
    placeholder: "HOST:PORT",
    description: "Address to listen on; port 0 takes any free one.",
  }),
  data_dir: path.optional().meta({
    placeholder: "DIR",
    description: "Folder of the database and everything else that is kept. Default: " +
      "$STATE_DIRECTORY, else tollgate_data beside the executable if writable " +
      "(from source: in the working folder), else $XDG_DATA_HOME/tollgate.",
  }),
  ...DATABASE_FIELDS,
  ...FILM_FIELDS,
  base_url: z.string().transform((text, context) => {
    const message = faultOfPublicUrl(text);
    if (message === undefined) return new URL(text).href.replace(/\/+$/, "");
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  }).optional().meta({
    placeholder: "URL",
    description: "The address callers use, for links in answers. Default: the listen address.",
  }),
  catalog: path.optional().meta({
    placeholder: "FILE",
    description: "Catalogue file that owns providers, models, routes, prices and project " +
      "settings; read again on SIGHUP. Default: they live in the database.",
  }),
  console: z.enum(["on", "off"]).default("on").meta({
    description:
      "Pages for operators at /console, behind a sign-in: by a link of `tollgate console` " +
      "or by the admin key.",
  }),
  ...OIDC_FIELDS,
  cors_origins: z.union([z.string(), z.array(z.string()).max(100)], "Expected a list of origins")
    .transform((list, context) => {
      const origins = parseOrigins(list);
      if (origins !== undefined) return origins;
      context.addIssue({
        code: "custom",
        message: "Expected origins such as https://app.example.com, without a path and separated " +
          "by commas, or * alone for every page",
      });
      return z.NEVER;
    }).optional().meta({
      placeholder: "ORIGINS",
      description: "Web pages that may call the API from a browser, by their origins, such as " +
        "https://app.example.com, separated by commas; * for every page. Never the admin API. " +
        "Default: none.",
    }),
  trusted_proxies: z.union(
    [z.string(), z.array(z.string()).max(100)],
    "Expected a list of networks",
  )
    .transform((list, context) => {
      const networks = parseNetworks(list);
      if (networks !== undefined) return networks;
      context.addIssue({ code: "custom", message: NETWORKS_HINT });
      return z.NEVER;
    }).optional().meta({
      placeholder: "NETWORKS",
      description: "Proxies in front whose X-Forwarded-For is believed, by addresses or networks " +
        "such as 10.0.0.0/8,::1: the log and the audit log then name who asks. Default: none.",
    }),
  guard_url: z.string().refine(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).username === "",
    "Expected an absolute http or https URL without a user name",
  ).optional().meta({
    placeholder: "URL",
    description:
      "Asked about every request for a model before it is sent: it may allow, refuse or " +
      "redact it. On the open internet, unless webhook_private_addresses is true. Default: nobody is asked.",
  }),
  guard_secret: z.string().refine(
    isSecretReference,
    "Expected a reference, not the secret itself: write env:NAME, file:/path or credential:NAME",
  ).optional().meta({
    placeholder: "REFERENCE",
    description:
      "env:NAME, file:/path or credential:NAME of the secret ('whsec_' and base64 of 24 " +
      "to 64 bytes) that signs what guard_url is asked, besides the project's webhook secret. " +
      "Default: the project's alone.",
  }),
  guard_answers: trueOrFalse.prefault(false).describe(
    "Whether guard_url is asked about answers too, before they are delivered: streams wait for it.",
  ),
  guard_policy: z.enum(["fail_closed", "fail_open"]).default("fail_closed").meta({
    placeholder: "POLICY",
    description:
      "What happens while the guard is absent (no connection, no answer in time, 5xx): fail_closed " +
      "(refused) or fail_open (allowed).",
  }),
  guard_timeout_ms: milliseconds.default(5_000).describe("How long the guard may take."),
  log_format: z.enum(["auto", "json", "pretty"]).default("auto").meta({
    placeholder: "FORMAT",
    description: "auto (pretty on a terminal, else json), json or pretty.",
  }),
  log_level: z.enum(["debug", "info", "warn", "error"]).default("info").meta({
    placeholder: "LEVEL",
    description: "Least level that is logged: debug, info, warn or error.",
  }),
  admin_key: z.string().regex(TOKEN, TOKEN_HINT).optional().meta({
    secret: true,
    description: "Key of the admin API over TCP, or env:NAME, file:/path or credential:NAME " +
      "of it. Default: the admin API is on the control socket only.",
  }),
  metrics: z.string().transform((text, context) => {
    if (text === "off" || text === "on") return text;
    const address = parseListenAddress(text);
    if (address !== undefined) return address;
    context.addIssue({
      code: "custom",
      message: "Expected off, on, or HOST:PORT such as 127.0.0.1:9464",
    });
    return z.NEVER;
  }).prefault("off").meta({
    placeholder: "WHERE",
    description: "Where /metrics is, for Prometheus: off, on (beside the API, for whoever sends " +
      "metrics_token or admin_key as bearer), or a HOST:PORT of its own, such as 127.0.0.1:9464.",
  }),
  metrics_token: z.string().regex(TOKEN, TOKEN_HINT).optional().meta({
    secret: true,
    description: "What /metrics wants as bearer, or env:NAME, file:/path or credential:NAME of " +
      "it. Default: at an address of its own nothing, beside the API the admin key.",
  }),
  otlp_url: z.string().transform((text, context) => {
    const message = faultOfPublicUrl(text);
    if (message === undefined) return text.replace(/\/+$/, "");
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  }).optional().meta({
    placeholder: "URL",
    description: "OpenTelemetry collector that traces of calls go to (OTLP over HTTP, JSON, at " +
      "URL/v1/traces), such as http://127.0.0.1:4318. Default: nothing is traced.",
  }),
  otlp_headers: z.string().regex(/^[\x20-\x7e]{1,4096}$/, "Expected printable ASCII").optional()
    .meta({
      secret: true,
      description:
        "Headers for otlp_url as NAME=VALUE, separated by commas, values with %20 for a " +
        "space, or env:NAME, file:/path or credential:NAME of them. Default: none.",
    }),
  otlp_ratio: z.number().min(0).max(1).default(1).meta({
    placeholder: "RATIO",
    description:
      "Share of the traces that begin here which are told, such as 0.1. A request that " +
      "comes with a traceparent follows what that says.",
  }),
  ...ALERT_FIELDS,
  max_json_body_bytes: bytes.prefault(20 * 1024 ** 2).describe("Largest JSON body of a request."),
  max_form_body_bytes: bytes.prefault(50 * 1024 ** 2).describe(
    "Largest form of a request, which may carry an image.",
  ),
  max_upload_bytes: bytes.prefault(512 * 1024 ** 2).describe(
    "Largest file that is uploaded: it goes to the disk as it comes.",
  ),
  max_uploads_in_flight_bytes: bytes.prefault(4 * 1024 ** 3).describe(
    "Files of requests under way on the disk at one time, together; of one project at " +
      "most half of what the others leave.",
  ),
  file_quota_bytes_per_project: bytes.prefault(10 * 1024 ** 3).describe(
    "What the files of one project may take that it has uploaded or that batches have made: " +
      "what does not fit is refused.",
  ),
  batch_lines_at_once: count(1, 1_000).default(16).describe(
    "Requests of all batches that are made at one time, beside what callers wait for; of one " +
      "project half of what the others leave, of one model three quarters of that and of all.",
  ),
  batch_lines_per_batch: count(1, 1_000).default(8).describe(
    "Requests of one batch that are made at one time.",
  ),
  max_bodies_in_flight_bytes: bytes.prefault(256 * 1024 ** 2).describe(
    "Request bodies and answers held in memory at one time, together.",
  ),
  max_json_depth: count(8, 1000).default(200).describe("Deepest nesting of a JSON body."),
  header_timeout_ms: milliseconds.default(15_000).describe(
    "Time for a request's head to arrive.",
  ),
  body_min_bytes_per_second: count(1, 1024 ** 3).default(1024).describe(
    "A request body that arrives more slowly is cut off.",
  ),
  body_silence_ms: milliseconds.default(15_000).describe(
    "How long a request body may be silent, or be behind its least rate.",
  ),
  keep_alive_ms: milliseconds.default(65_000).describe(
    "How long an idle connection stays open between two requests.",
  ),
  stalled_reader_ms: milliseconds.default(60_000).describe(
    "A client that reads nothing of its answer for so long is cut off.",
  ),
  max_connections: count(1, 10_000_000).optional().describe(
    "Connections at one time; the longest idle one makes way for the next. Default: " +
      "half of the descriptors where these are few, else as many as they last for.",
  ),
  max_connections_per_address: count(1, 10_000_000).optional().describe(
    "Connections of one address (of IPv6 one /64 network) at one time. Default: half " +
      "of max_connections, at least 64; no limit for loopback, where a proxy may be.",
  ),
  threads: count(1, 256).optional().describe(
    "Threads that serve calls, beside the one that keeps the books. With 1 one thread does " +
      "both. Default: one fewer than the processors, at least 1 and at most 4; 1 where it is " +
      "not Linux, and with a guard or traces.",
  ),
  quick_calls: z.enum(["on", "off"]).default("on").describe(
    "Whether chat completions of the usual kind take the quick way, which costs less CPU. " +
      "off: all calls take the general way, with the same answers and books.",
  ),
  drain_timeout_ms: milliseconds.default(30_000).describe(
    "How long calls and downloads in flight may take to end after SIGTERM.",
  ),
  video_workers: count(1, 64).optional().describe(
    "Films that are rendered here at one time. Default: one fewer than the " +
      "processors, at least 1.",
  ),
  video_tasks_per_project: count(1, 10_000).optional().describe(
    "Films of one project that are worked on at one time, whatever its routes allow; " +
      "others of it wait. Default: any number, the projects in turn.",
  ),
  video_retention_hours: z.number().min(0.001).max(1_000_000).optional().meta({
    placeholder: "HOURS",
    description:
      "How long films are kept after completion, such as 0.5. Default: until they are deleted.",
  }),
  video_quota_bytes: bytes.optional().describe(
    "What all films together may take, such as 50GB. Old ones go that were fetched, " +
      "first of projects with more than their share; new ones that could not be kept are refused. " +
      "Default: no quota.",
  ),
  video_quota_bytes_per_project: bytes.optional().describe(
    "What the films of one project may take, unless it has a quota of its own. Default: " +
      "no other bound than that of all films.",
  ),
  disk_reserve_bytes: sizeFrom(0).prefault(256 * 1024 ** 2).describe(
    "Left free for the ledger on the disk of the data dir: films, kept answers and " +
      "backups stop there. At most a quarter of the disk, however small that is.",
  ),
  archive_after_months: count(1, 1200).optional().describe(
    "Calls of a month go to an archive of their own, see calls archive, once it has " +
      "ended N months ago. Default: never by themselves.",
  ),
  archive_dir: path.optional().meta({
    placeholder: "DIR",
    description: "Where archives go that are made by themselves: a folder that is there, of " +
      "several nodes one that all of them share. Default: archives in the data dir.",
  }),
  ...BACKUP_FIELDS,
  deleted_film_charge: z.enum(DELETED_VIDEO_CHARGES).default("progress").meta({
    placeholder: "CHARGE",
    description: "What a film costs that its owner deletes while it is made: free, progress (as " +
      "much of its price as is done) or full.",
  }),
  kept_bytes_per_project: sizeFrom(0).prefault(256 * 1024 ** 2).describe(
    "What kept responses and answers for an Idempotency-Key may take of one project: " +
      "its oldest responses go first, and what does not fit is answered and not kept. A project " +
      "may have a bound of its own.",
  ),
  public_links: trueOrFalse.prefault(true).describe(
    "Whether a film has a link that works without a key.",
  ),
  webhook_private_addresses: trueOrFalse.prefault(false).describe(
    "Whether callback_url, guard_url and alert_url may lead to loopback and private addresses.",
  ),
}).describe("Tollgate's process settings.");

/** A setting's name in the config file. */
export type SettingName = keyof typeof settingsSchema.shape;

/** What help texts and `config show` need to know of a setting. */
export interface SettingField {
  readonly name: SettingName;
  /** `--data-dir`; `undefined` for secrets, which a process list would show. */
  readonly flag: string | undefined;
  /** `TOLLGATE_DATA_DIR`. */
  readonly variable: string;
  /** What stands for the value in help texts. */
  readonly placeholder: string;
  readonly description: string;
  /** As an operator would write it; `undefined` where the description tells it. */
  readonly defaultText: string | undefined;
  readonly secret: boolean;
  /** Whether its flag may be given several times: the values are one text then, with blanks between. */
  readonly repeatable: boolean;
  /** Values that are numbers in files come as digits in flags and variables. */
  readonly numeric: "integer" | "number" | undefined;
}

/** Every setting, in the order of help texts. */
export const SETTING_FIELDS: readonly SettingField[] = describeFields();

/** Read from the schema as it stands: to make its JSON Schema first would double the time of a start. */
function describeFields(): readonly SettingField[] {
  return Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const plain = plainOf(schema);
    const { placeholder = "VALUE", description = "", secret = false, repeatable = false } = {
      ...plain.meta(),
      ...schema.meta(),
    } as { placeholder?: string; description?: string; secret?: boolean; repeatable?: boolean };
    return {
      name: name as SettingName,
      flag: secret ? undefined : `--${name.replaceAll("_", "-")}`,
      variable: `TOLLGATE_${name.toUpperCase()}`,
      placeholder,
      description,
      defaultText: defaultText(schema),
      secret,
      repeatable,
      numeric: numericKind(plain),
    };
  });
}

function defaultText(schema: z.ZodType): string | undefined {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? String(schema.def.defaultValue)
    : undefined;
}

/** Without what stands for a value that is absent. */
function plainOf(schema: z.ZodType): z.ZodType {
  let plain: unknown = schema;
  while (
    plain instanceof z.ZodDefault || plain instanceof z.ZodPrefault ||
    plain instanceof z.ZodOptional
  ) plain = plain.unwrap();
  return plain as z.ZodType;
}

/** Of a plain number; what is made from a text or a number (sizes) is neither. */
function numericKind(plain: z.ZodType): SettingField["numeric"] {
  if (plain instanceof z.ZodNumberFormat) return "integer";
  return plain instanceof z.ZodNumber ? "number" : undefined;
}

/** JSON Schema (2020-12) of the config file. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(settingsSchema, { io: "input" }), title: "Tollgate settings" };
}
