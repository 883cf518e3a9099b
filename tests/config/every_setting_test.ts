/**
 * Every setting, from a variable and from a flag.
 *
 * @module
 */

import assert from "node:assert/strict";
import { flagsFromOptions } from "../../src/config/load_settings.ts";
import { load } from "./loaded.ts";

Deno.test("loadSettings() reads every setting as a variable, and all but secrets as a flag", async () => {
  const values: { [name: string]: string } = {
    listen: "localhost:1",
    data_dir: "data",
    base_url: "https://g.example.com/x/",
    catalog: "../c.yaml",
    console: "off",
    oidc_issuer: "https://login.example.com/realms/staff",
    oidc_client_id: "tollgate",
    oidc_client_secret: "env:OIDC_SECRET",
    oidc_roles: "groups:admins=owner, https%3A//example.com/team:a%2Cb=member:shop",
    oidc_scopes: "openid groups",
    s3_url: "https://S3.example.com/films/of/us/",
    films_redirect: "on",
    cors_origins: "https://app.example.com, http://localhost:5173",
    trusted_proxies: "10.0.0.0/8, ::1",
    guard_url: "https://guard.example.com/look",
    guard_secret: "env:GUARD_SECRET",
    guard_answers: "true",
    guard_policy: "fail_open",
    guard_timeout_ms: "7",
    log_format: "json",
    log_level: "debug",
    admin_key: "an-admin-key-of-many-letters",
    metrics: "127.0.0.1:9464",
    metrics_token: "a-token-of-many-letters",
    otlp_url: "https://otlp.example.com/x/",
    otlp_headers: "authorization=Bearer%20abc",
    otlp_ratio: "0.25",
    alert_url: "slack=https://hooks.example.com/T0/B0 https://alerts.example.com/in",
    alert_secret: "env:ALERT_SECRET",
    alert_causes: "budget, route",
    alert_quiet: "22:00-07:30 Europe/Berlin",
    alert_error_ratio: "0.5",
    max_json_body_bytes: "2048",
    max_form_body_bytes: "8192",
    max_upload_bytes: "16384",
    max_uploads_in_flight_bytes: "32768",
    file_quota_bytes_per_project: "65536",
    batch_lines_at_once: "5",
    batch_lines_per_batch: "3",
    max_bodies_in_flight_bytes: "4096",
    max_json_depth: "10",
    header_timeout_ms: "1",
    body_min_bytes_per_second: "2",
    body_silence_ms: "9",
    keep_alive_ms: "3",
    stalled_reader_ms: "4",
    max_connections: "5",
    max_connections_per_address: "4",
    threads: "3",
    quick_calls: "off",
    drain_timeout_ms: "6",
    video_workers: "7",
    video_tasks_per_project: "8",
    video_retention_hours: "9",
    video_quota_bytes: "1024",
    video_quota_bytes_per_project: "1025",
    disk_reserve_bytes: "0",
    archive_after_months: "3",
    archive_dir: "../archives",
    backup_every: "12h",
    backup_keep: "3",
    backup_to: "../backups",
    backup_films: "on",
    deleted_film_charge: "full",
    kept_bytes_per_project: "1",
    public_links: "false",
    webhook_private_addresses: "true",
  };
  const secret = `whsec_${btoa("k".repeat(32))}`;
  const secrets = { GUARD_SECRET: secret, ALERT_SECRET: secret, OIDC_SECRET: "of-the-client" };
  const env = {
    ...Object.fromEntries(
      Object.entries(values).map(([name, value]) => [`TOLLGATE_${name.toUpperCase()}`, value]),
    ),
    ...secrets,
  };
  const byVariable = await load({}, { env });
  assert.deepEqual(byVariable.settings, {
    listen: { hostname: "localhost", port: 1 },
    dataDir: "/srv/data",
    // Beside it some of the others are wrong: it has tests of its own.
    database: undefined,
    filmBucket: {
      endpoint: "https://s3.example.com",
      bucket: "films",
      path: "of/us",
      redirects: true,
    },
    baseUrl: "https://g.example.com/x",
    catalog: "/c.yaml",
    console: "off",
    oidc: {
      issuer: "https://login.example.com/realms/staff",
      clientId: "tollgate",
      clientSecret: "env:OIDC_SECRET",
      scopes: "openid groups",
      roles: [
        { claim: "groups", value: "admins", rights: { role: "owner" } },
        {
          claim: "https://example.com/team",
          value: "a,b",
          rights: { role: "member", project: "shop" },
        },
      ],
    },
    corsOrigins: ["https://app.example.com", "http://localhost:5173"],
    trustedProxies: ["10.0.0.0/8", "::1"],
    guard: {
      url: "https://guard.example.com/look",
      secret: "env:GUARD_SECRET",
      answers: true,
      policy: "fail_open",
      timeoutMs: 7,
    },
    logFormat: "json",
    logLevel: "debug",
    adminKey: "an-admin-key-of-many-letters",
    metrics: { listen: { hostname: "127.0.0.1", port: 9464 }, token: "a-token-of-many-letters" },
    otlp: {
      url: "https://otlp.example.com/x",
      headers: { authorization: "Bearer abc" },
      ratio: 0.25,
    },
    bodies: { maxJsonBytes: 2048, maxFormBytes: 8192, maxInFlightBytes: 4096, maxJsonDepth: 10 },
    uploads: { maxBytes: 16_384, maxInFlightBytes: 32_768, quotaBytes: 65_536 },
    batches: { linesAtOnce: 5, linesPerBatch: 3 },
    connections: {
      headerTimeoutMs: 1,
      bodyMinBytesPerSecond: 2,
      bodySilenceMs: 9,
      keepAliveMs: 3,
      stalledReaderMs: 4,
      maxConnections: 5,
      maxPerAddress: 4,
    },
    drainTimeoutMs: 6,
    dropCallsAfterMonths: undefined,
    threads: 3,
    quickCalls: "off",
    disk: { reserveBytes: 0, keptBytesPerProject: 1 },
    alerts: {
      targets: [
        { form: "slack", url: "https://hooks.example.com/T0/B0" },
        { form: "webhook", url: "https://alerts.example.com/in" },
      ],
      secret: "env:ALERT_SECRET",
      causes: ["budget", "route"],
      quiet: { fromMinute: 22 * 60, toMinute: 7 * 60 + 30, zone: "Europe/Berlin" },
      errorRatio: 0.5,
    },
    backups: { everyMs: 12 * 3_600_000, keep: 3, folder: "/backups", films: true },
    archives: { afterMonths: 3, folder: "/archives" },
    videos: {
      workers: 7,
      tasksPerProject: 8,
      keepMs: 9 * 3_600_000,
      quotaBytes: 1024,
      projectQuotaBytes: 1025,
      deletedVideoCharge: "full",
      publicLinks: false,
      webhookPrivateAddresses: true,
    },
  });
  const byFlag = await load(values, { env: secrets });
  const { metrics, otlp } = byVariable.settings;
  assert.deepEqual(byFlag.settings, {
    ...byVariable.settings,
    adminKey: undefined,
    metrics: { ...metrics!, token: undefined },
    otlp: { ...otlp!, headers: {} },
  });
  const options = { dataDir: "data", json: true, maxJsonDepth: "10", adminKey: "x", config: "f" };
  assert.deepEqual(flagsFromOptions(options), {
    config: "f",
    data_dir: "data",
    max_json_depth: "10",
    admin_key: "x",
  });
});
