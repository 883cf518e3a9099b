/**
 * The settings of the process, described once: names, types, defaults and help
 * texts of flags, `TOLLGATE_*` variables and the config file.
 *
 * @module
 */

import * as z from "zod";
import { DELETED_FILM_CHARGES, type DeletedFilmCharge } from "../domain/deleted_film_charge.ts";
import { byteSize } from "../documents/byte_size.ts";
import { LISTEN_HINT, type ListenAddress, parseListenAddress } from "./listen_address.ts";
import { faultOfPublicUrl } from "./public_url.ts";

const MAX_MS = 86_400_000;

const milliseconds = () => z.int().min(1).max(MAX_MS);
const bytes = () => byteSize({ min: 1024, max: 1024 ** 4 });
/** Flags and variables are texts, in a file it is a boolean. */
const trueOrFalse = () =>
  z.union([z.boolean(), z.enum(["true", "false"])], "Expected true or false")
    .transform((value) => value === true || value === "true");

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
  log_format: z.enum(["auto", "json", "pretty"]).default("auto").meta({
    placeholder: "FORMAT",
    description: "auto (pretty on a terminal, else json), json or pretty.",
  }),
  log_level: z.enum(["debug", "info", "warn", "error"]).default("info").meta({
    placeholder: "LEVEL",
    description: "Least level that is logged: debug, info, warn or error.",
  }),
  admin_key: z.string().regex(/^[\x21-\x7e]{1,512}$/, "Expected printable ASCII without spaces")
    .optional().meta({
      secret: true,
      description: "Key of the admin API over TCP, or env:NAME, file:/path or credential:NAME " +
        "of it. Default: the admin API is on the control socket only.",
    }),
  max_json_body_bytes: bytes().prefault(20 * 1024 ** 2).meta({
    placeholder: "BYTES",
    description: "Largest JSON body of a request.",
  }),
  max_form_body_bytes: bytes().prefault(50 * 1024 ** 2).meta({
    placeholder: "BYTES",
    description: "Largest form of a request, which may carry an image.",
  }),
  max_bodies_in_flight_bytes: bytes().prefault(256 * 1024 ** 2).meta({
    placeholder: "BYTES",
    description: "Request bodies and answers held in memory at one time, together.",
  }),
  max_json_depth: z.int().min(8).max(1000).default(200).meta({
    placeholder: "N",
    description: "Deepest nesting of a JSON body.",
  }),
  header_timeout_ms: milliseconds().default(15_000).meta({
    placeholder: "MS",
    description: "Time for a request's head to arrive.",
  }),
  body_min_bytes_per_second: z.int().min(1).max(1024 ** 3).default(1024).meta({
    placeholder: "N",
    description: "A request body that arrives more slowly is cut off.",
  }),
  body_silence_ms: milliseconds().default(15_000).meta({
    placeholder: "MS",
    description: "How long a request body may be silent, or be behind its least rate.",
  }),
  keep_alive_ms: milliseconds().default(65_000).meta({
    placeholder: "MS",
    description: "How long an idle connection stays open between two requests.",
  }),
  stalled_reader_ms: milliseconds().default(60_000).meta({
    placeholder: "MS",
    description: "A client that reads nothing of its answer for so long is cut off.",
  }),
  max_connections: z.int().min(1).max(10_000_000).optional().meta({
    placeholder: "N",
    description: "Connections at one time; the longest idle one makes way for the next. Default: " +
      "half of the descriptors where these are few, else as many as they last for.",
  }),
  max_connections_per_address: z.int().min(1).max(10_000_000).optional().meta({
    placeholder: "N",
    description:
      "Connections of one address (of IPv6 one /64 network) at one time. Default: half " +
      "of max_connections, at least 64; no limit for loopback, where a proxy may be.",
  }),
  drain_timeout_ms: milliseconds().default(30_000).meta({
    placeholder: "MS",
    description: "How long calls in flight may take to end after SIGTERM.",
  }),
  video_workers: z.int().min(1).max(64).optional().meta({
    placeholder: "N",
    description: "Films that are rendered here at one time. Default: one fewer than the " +
      "processors, at least 1.",
  }),
  video_tasks_per_project: z.int().min(1).max(10_000).optional().meta({
    placeholder: "N",
    description:
      "Films of one project that are worked on at one time, whatever its routes allow; " +
      "others of it wait. Default: any number, the projects in turn.",
  }),
  video_retention_hours: z.number().min(0.001).max(1_000_000).optional().meta({
    placeholder: "HOURS",
    description:
      "How long films are kept after completion, such as 0.5. Default: until they are deleted.",
  }),
  video_quota_bytes: bytes().optional().meta({
    placeholder: "BYTES",
    description: "What all films together may take, such as 50GB. Old ones go that were fetched, " +
      "first of projects with more than their share; new ones that could not be kept are refused. " +
      "Default: no quota.",
  }),
  video_quota_bytes_per_project: bytes().optional().meta({
    placeholder: "BYTES",
    description:
      "What the films of one project may take, unless it has a quota of its own. Default: " +
      "no other bound than that of all films.",
  }),
  disk_reserve_bytes: byteSize({ min: 0, max: 1024 ** 4 }).prefault(256 * 1024 ** 2).meta({
    placeholder: "BYTES",
    description: "Left free for the ledger on the disk of the data dir: films, kept answers and " +
      "backups stop there. At most a quarter of the disk, however small that is.",
  }),
  archive_after_months: z.int().min(1).max(1200).optional().meta({
    placeholder: "N",
    description: "Calls of a month go to an archive of their own, see calls archive, once it has " +
      "ended N months ago. Default: never by themselves.",
  }),
  archive_dir: path.optional().meta({
    placeholder: "DIR",
    description: "Where archives go that are made by themselves: a folder that is there. " +
      "Default: archives in the data dir.",
  }),
  deleted_film_charge: z.enum(DELETED_FILM_CHARGES).default("progress").meta({
    placeholder: "CHARGE",
    description: "What a film costs that its owner deletes while it is made: free, progress (as " +
      "much of its price as is done) or full.",
  }),
  kept_bytes_per_project: byteSize({ min: 0, max: 1024 ** 4 }).prefault(256 * 1024 ** 2).meta({
    placeholder: "BYTES",
    description:
      "What kept responses and answers for an Idempotency-Key may take of one project: " +
      "its oldest responses go first, and what does not fit is answered and not kept. A project " +
      "may have a bound of its own.",
  }),
  public_links: trueOrFalse().prefault(true).meta({
    placeholder: "BOOLEAN",
    description: "Whether a film has a link that works without a key.",
  }),
  webhook_private_addresses: trueOrFalse().prefault(false).meta({
    placeholder: "BOOLEAN",
    description: "Whether callback_url may lead to loopback and private addresses.",
  }),
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
  /** Values that are numbers in files come as digits in flags and variables. */
  readonly numeric: "integer" | "number" | undefined;
}

/** Every setting, in the order of help texts. */
export const SETTING_FIELDS: readonly SettingField[] = describeFields();

/** Read from the schema as it stands: to make its JSON Schema first would double the time of a start. */
function describeFields(): readonly SettingField[] {
  return Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const { placeholder = "VALUE", description = "", secret = false } = (schema.meta() ?? {}) as {
      placeholder?: string;
      description?: string;
      secret?: boolean;
    };
    return {
      name: name as SettingName,
      flag: secret ? undefined : `--${name.replaceAll("_", "-")}`,
      variable: `TOLLGATE_${name.toUpperCase()}`,
      placeholder,
      description,
      defaultText: defaultText(schema),
      secret,
      numeric: numericKind(schema),
    };
  });
}

function defaultText(schema: z.ZodType): string | undefined {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? String(schema.def.defaultValue)
    : undefined;
}

/** Of a plain number; what is made from a text or a number (sizes) is neither. */
function numericKind(schema: z.ZodType): SettingField["numeric"] {
  let plain: unknown = schema;
  while (
    plain instanceof z.ZodDefault || plain instanceof z.ZodPrefault ||
    plain instanceof z.ZodOptional
  ) plain = plain.unwrap();
  if (plain instanceof z.ZodNumberFormat) return "integer";
  return plain instanceof z.ZodNumber ? "number" : undefined;
}

/** JSON Schema (2020-12) of the config file. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(settingsSchema, { io: "input" }), title: "Tollgate settings" };
}

/** The settings of the process, checked and frozen. */
export interface Settings {
  readonly listen: ListenAddress;
  /** Absolute. */
  readonly dataDir: string;
  /** Without a trailing slash and without `/v1`; `undefined` means the address listened on. */
  readonly baseUrl: string | undefined;
  /** Absolute path of the catalogue file that owns the catalogue. */
  readonly catalog: string | undefined;
  readonly logFormat: "auto" | "json" | "pretty";
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly adminKey: string | undefined;
  readonly bodies: {
    readonly maxJsonBytes: number;
    readonly maxFormBytes: number;
    readonly maxInFlightBytes: number;
    readonly maxJsonDepth: number;
  };
  readonly connections: {
    readonly headerTimeoutMs: number;
    readonly bodyMinBytesPerSecond: number;
    readonly bodySilenceMs: number;
    readonly keepAliveMs: number;
    readonly stalledReaderMs: number;
    /** Absent: by the descriptors. */
    readonly maxConnections?: number;
    /** Absent: half of all, but for loopback. */
    readonly maxPerAddress?: number;
  };
  readonly drainTimeoutMs: number;
  readonly disk: DiskSettings;
  readonly archives: ArchiveSettings;
  readonly videos: VideoSettings;
}

/** What may be written on the disk of the data dir. */
export interface DiskSettings {
  /** Left free for the ledger: see `DiskReserve`. */
  readonly reserveBytes: number;
  /** What answers may take that are kept for one project. */
  readonly keptBytesPerProject: number;
}

/** What is archived without being asked for. */
export interface ArchiveSettings {
  /** How many months ago a month must have ended. Absent: nothing is. */
  readonly afterMonths?: number;
  /** Absolute. Absent: the data dir's own. */
  readonly folder?: string;
}

/** How video tasks are worked on and kept. */
export interface VideoSettings {
  /** Absent: by the number of processors. */
  readonly workers?: number;
  /** Absent: as many as there are places, the projects in turn. */
  readonly tasksPerProject?: number;
  /** Absent: for ever. */
  readonly keepMs?: number;
  /** Of all films together. Absent: no quota. */
  readonly quotaBytes?: number;
  /** Of each project's films. Absent: no quota. */
  readonly projectQuotaBytes?: number;
  readonly deletedFilmCharge: DeletedFilmCharge;
  readonly publicLinks: boolean;
  readonly webhookPrivateAddresses: boolean;
}
