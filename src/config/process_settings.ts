/**
 * The settings as the program takes them. What each means is said where it is declared.
 *
 * @module
 */

import type * as z from "zod";
import { parseS3Url } from "../domain/s3_address.ts";
import { toOidcSettings } from "./oidc_fields.ts";
import { parseOtlpHeaders } from "./otlp_headers.ts";
import type { settingsSchema } from "./settings.ts";

/** The values of the settings, by name. */
export type Values = z.output<typeof settingsSchema>;

/** The settings of the process, checked and frozen. */
export type Settings = ReturnType<typeof toSettings>;

/** Where traces go, and how many. */
export type OtlpSettings = NonNullable<Settings["otlp"]>;

/** Where metrics are told, and to whom. */
export type MetricsSettings = NonNullable<Settings["metrics"]>;

/** Who is asked about requests and answers. */
export type GuardSettings = NonNullable<Settings["guard"]>;

/** Who is told what goes wrong, of what and when. */
export type AlertSettings = Settings["alerts"];

/** What is backed up without being asked for. */
export type BackupSettings = Settings["backups"];

/** What may be written on the disk of the data dir. */
export type DiskSettings = Settings["disk"];

/** Where the database is, if it is on a server. */
export type DatabaseSettings = NonNullable<Settings["database"]>;
/** Where it is alone. */
export type DatabasePlace = Pick<DatabaseSettings, "url" | "caFile">;

/** The bucket that has the films, if it is not the data dir that does. */
export type FilmBucketSettings = NonNullable<Settings["filmBucket"]>;

/** What is archived without being asked for. */
export type ArchiveSettings = Settings["archives"];

/** How video tasks are worked on and kept. */
export type VideoSettings = Settings["videos"];

/** Groups the settings by who takes them. Paths are absolute; what is absent is as each says. */
export function toSettings(values: Values & { readonly data_dir: string }) {
  const { video_retention_hours: hours } = values;
  return Object.freeze({
    listen: Object.freeze(values.listen),
    dataDir: values.data_dir,
    database: values.database_url === undefined ? undefined : Object.freeze({
      url: values.database_url,
      caFile: values.database_ca,
      staleKeysMs: values.stale_keys_ms,
    }),
    dropCallsAfterMonths: values.drop_calls_after_months,
    filmBucket: values.s3_url === undefined ? undefined : Object.freeze({
      ...parseS3Url(values.s3_url)!,
      redirects: values.films_redirect === "on",
    }),
    baseUrl: values.base_url,
    catalog: values.catalog,
    logFormat: values.log_format,
    logLevel: values.log_level,
    adminKey: values.admin_key,
    otlp: values.otlp_url === undefined ? undefined : Object.freeze({
      url: values.otlp_url,
      headers: Object.freeze(parseOtlpHeaders(values.otlp_headers) ?? {}),
      ratio: values.otlp_ratio,
    }),
    metrics: values.metrics === "off" ? undefined : Object.freeze({
      listen: values.metrics === "on" ? undefined : Object.freeze(values.metrics),
      token: values.metrics_token,
    }),
    console: values.console,
    oidc: toOidcSettings(values),
    corsOrigins: values.cors_origins,
    trustedProxies: values.trusted_proxies,
    guard: values.guard_url === undefined ? undefined : Object.freeze({
      url: values.guard_url,
      secret: values.guard_secret,
      answers: values.guard_answers,
      policy: values.guard_policy,
      timeoutMs: values.guard_timeout_ms,
    }),
    alerts: Object.freeze({
      targets: Object.freeze(values.alert_url ?? []),
      secret: values.alert_secret,
      causes: values.alert_causes,
      quiet: values.alert_quiet,
      errorRatio: values.alert_error_ratio,
    }),
    bodies: Object.freeze({
      maxJsonBytes: values.max_json_body_bytes,
      maxFormBytes: values.max_form_body_bytes,
      maxInFlightBytes: values.max_bodies_in_flight_bytes,
      maxJsonDepth: values.max_json_depth,
    }),
    uploads: Object.freeze({
      maxBytes: values.max_upload_bytes,
      maxInFlightBytes: values.max_uploads_in_flight_bytes,
      quotaBytes: values.file_quota_bytes_per_project,
    }),
    batches: Object.freeze({
      linesAtOnce: values.batch_lines_at_once,
      linesPerBatch: values.batch_lines_per_batch,
    }),
    connections: withoutAbsent({
      headerTimeoutMs: values.header_timeout_ms,
      bodyMinBytesPerSecond: values.body_min_bytes_per_second,
      bodySilenceMs: values.body_silence_ms,
      keepAliveMs: values.keep_alive_ms,
      stalledReaderMs: values.stalled_reader_ms,
      maxConnections: values.max_connections,
      maxPerAddress: values.max_connections_per_address,
    }),
    drainTimeoutMs: values.drain_timeout_ms,
    threads: values.threads,
    quickCalls: values.quick_calls,
    disk: Object.freeze({
      reserveBytes: values.disk_reserve_bytes,
      keptBytesPerProject: values.kept_bytes_per_project,
    }),
    archives: withoutAbsent({
      afterMonths: values.archive_after_months,
      folder: values.archive_dir,
    }),
    backups: Object.freeze({
      everyMs: values.backup_every,
      keep: values.backup_keep,
      folder: values.backup_to,
      films: values.backup_films === "on",
    }),
    videos: withoutAbsent({
      workers: values.video_workers,
      tasksPerProject: values.video_tasks_per_project,
      keepMs: hours === undefined ? undefined : Math.round(hours * 3_600_000),
      quotaBytes: values.video_quota_bytes,
      projectQuotaBytes: values.video_quota_bytes_per_project,
      deletedVideoCharge: values.deleted_film_charge,
      publicLinks: values.public_links,
      webhookPrivateAddresses: values.webhook_private_addresses,
    }),
  });
}

type Optional<Fields> =
  & {
    readonly [name in keyof Fields as undefined extends Fields[name] ? never : name]: Fields[name];
  }
  & {
    readonly [name in keyof Fields as undefined extends Fields[name] ? name : never]?: Fields[name];
  };

/** Frozen, and without the fields that have no value: where they are spread, defaults stay. */
function withoutAbsent<Fields extends object>(fields: Fields): Optional<Fields> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.freeze(Object.fromEntries(given)) as Optional<Fields>;
}
