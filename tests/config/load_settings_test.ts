/**
 * Where settings come from, which source wins, and how faults are shown.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ALERT_CAUSES } from "../../src/domain/alert.ts";
import type { ShownSetting } from "../../src/config/load_settings.ts";
import { SETTING_FIELDS } from "../../src/config/settings.ts";
import { formatProblem } from "../../src/documents/problem.ts";
import { faults, load } from "./loaded.ts";
import { withConfig } from "./surroundings.ts";

function shownOf(shown: readonly ShownSetting[], name: string): ShownSetting | undefined {
  return shown.find((setting) => setting.name === name);
}

Deno.test("loadSettings() gives documented defaults", async () => {
  const { settings, shown, warnings } = await load();
  assert.deepEqual(settings, {
    listen: { hostname: "127.0.0.1", port: 8080 },
    dataDir: "/srv/tollgate_data",
    database: undefined,
    filmBucket: undefined,
    baseUrl: undefined,
    console: "on",
    corsOrigins: undefined,
    trustedProxies: undefined,
    guard: undefined,
    catalog: undefined,
    logFormat: "auto",
    logLevel: "info",
    adminKey: undefined,
    metrics: undefined,
    oidc: undefined,
    otlp: undefined,
    bodies: {
      maxJsonBytes: 20_971_520,
      maxFormBytes: 52_428_800,
      maxInFlightBytes: 268_435_456,
      maxJsonDepth: 200,
    },
    uploads: { maxBytes: 536_870_912, maxInFlightBytes: 4_294_967_296, quotaBytes: 10_737_418_240 },
    batches: { linesAtOnce: 16, linesPerBatch: 8 },
    connections: {
      headerTimeoutMs: 15_000,
      bodyMinBytesPerSecond: 1024,
      bodySilenceMs: 15_000,
      keepAliveMs: 65_000,
      stalledReaderMs: 60_000,
    },
    drainTimeoutMs: 30_000,
    dropCallsAfterMonths: undefined,
    threads: undefined,
    quickCalls: "on",
    archives: {},
    alerts: {
      targets: [],
      secret: undefined,
      causes: ALERT_CAUSES,
      quiet: undefined,
      errorRatio: 0.25,
    },
    backups: { everyMs: undefined, keep: 14, folder: undefined, films: false },
    videos: {
      deletedVideoCharge: "progress",
      publicLinks: true,
      webhookPrivateAddresses: false,
    },
    disk: { reserveBytes: 268_435_456, keptBytesPerProject: 268_435_456 },
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(shown.map(({ name }) => name), SETTING_FIELDS.map(({ name }) => name));
  for (const { name, value, source } of shown) {
    assert.equal(source, name === "data_dir" ? "working folder" : "default");
    const field = SETTING_FIELDS.find((candidate) => candidate.name === name);
    if (name === "data_dir" || value === null) {
      assert.match(field?.description ?? "", /Default: /, `${name} does not tell its default`);
    } else {
      assert.equal(field?.defaultText, String(value));
    }
  }
});

Deno.test("loadSettings() prefers flags to variables to the file", async () => {
  const text = "listen: 1.1.1.1:1\nlog_level: warn\nmax_json_depth: 50\n";
  await withConfig(text, async ({ folder }) => {
    const { settings, shown } = await load(
      { listen: "[::1]:0", config: "settings.yaml" },
      {
        cwd: folder,
        writable: [folder],
        env: { TOLLGATE_LISTEN: "2.2.2.2:2", TOLLGATE_LOG_LEVEL: "error" },
      },
    );
    assert.deepEqual(settings.listen, { hostname: "::1", port: 0 });
    assert.equal(settings.logLevel, "error");
    assert.equal(settings.bodies.maxJsonDepth, 50);
    const name = (wanted: string) => shownOf(shown, wanted);
    assert.deepEqual(name("listen"), { name: "listen", value: "[::1]:0", source: "flag --listen" });
    assert.deepEqual(name("log_level"), {
      name: "log_level",
      value: "error",
      source: "variable TOLLGATE_LOG_LEVEL",
    });
    assert.deepEqual(name("max_json_depth"), {
      name: "max_json_depth",
      value: 50,
      source: "settings.yaml:3:17",
    });
  });
});

Deno.test("loadSettings() reports every bad value at once, each with its source", async () => {
  const text = "log_level: loud\nkeep_alive: 5\nmax_json_depth: '9'\ncatalog: 5\n";
  await withConfig(text, async ({ folder }) => {
    const lines = await faults(
      { listen: "8080", log_format: "xml", config: "settings.yaml" },
      {
        cwd: folder,
        env: {
          TOLLGATE_LISTEN: ":8080",
          TOLLGATE_BASE_URL: "https://g.example.com/v1",
          TOLLGATE_DRAIN_TIMEOUT_MS: "30s",
          TOLLGATE_KEEP_ALIVE_MS: "0",
          TOLLGATE_ADMIN_KEY: "env:NOT_THERE",
        },
      },
    );
    const listen = "Expected HOST:PORT such as 127.0.0.1:8080 or [::1]:8080; " +
      "0.0.0.0:8080 is every interface";
    assert.deepEqual(lines.sort(), [
      "flag --listen: listen: " + listen,
      "flag --log-format: log_format: Expected one of auto, json, pretty",
      "settings.yaml:1:12: log_level: Expected one of debug, info, warn, error",
      "settings.yaml:2:1: keep_alive: Unknown key: did you mean 'keep_alive_ms'?",
      "settings.yaml:3:17: max_json_depth: Expected a number, found text",
      'settings.yaml:4:10: catalog: Expected text, found the number 5: put it in quotes, "5"',
      "variable TOLLGATE_ADMIN_KEY: admin_key: env:NOT_THERE has no value: " +
      "set the variable NOT_THERE and start again",
      "variable TOLLGATE_BASE_URL: base_url: Expected the URL without /v1 at its end",
      "variable TOLLGATE_DRAIN_TIMEOUT_MS: drain_timeout_ms: Expected a whole number",
      "variable TOLLGATE_KEEP_ALIVE_MS: keep_alive_ms: Expected a number of at least 1",
      "variable TOLLGATE_LISTEN: listen: " + listen,
    ]);
  });
});

Deno.test("loadSettings() reads sizes with units and fractions of hours, wherever they stand", async () => {
  const text = "max_json_body_bytes: 2MB\nvideo_retention_hours: 1.5\n";
  await withConfig(text, async ({ folder }) => {
    const { settings, shown } = await load(
      { video_quota_bytes: "10MB", config: "settings.yaml" },
      { cwd: folder, writable: [folder], env: { TOLLGATE_MAX_FORM_BODY_BYTES: "1KiB" } },
    );
    assert.equal(settings.videos.quotaBytes, 10_000_000);
    assert.equal(settings.videos.keepMs, 5_400_000);
    assert.equal(settings.bodies.maxJsonBytes, 2_000_000);
    assert.equal(settings.bodies.maxFormBytes, 1_024);
    assert.equal(shownOf(shown, "video_quota_bytes")?.value, 10_000_000);
  });
  const { settings } = await load({ video_retention_hours: "0.5" });
  assert.equal(settings.videos.keepMs, 1_800_000);
  assert.deepEqual(await faults({ video_quota_bytes: "10M" }), [
    "flag --video-quota-bytes: video_quota_bytes: " +
    "Expected a number of bytes such as 10485760, 10MB or 1.5GiB",
  ]);
  assert.deepEqual(await faults({ video_retention_hours: "1h" }), [
    "flag --video-retention-hours: video_retention_hours: Expected a number",
  ]);
});

Deno.test("loadSettings() refuses addresses and URLs that are none", async () => {
  const listen = [
    "",
    "x",
    "127.0.0.1",
    "127.0.0.1:",
    "h:65536",
    "::1:8080",
    "[1.2.3.4]:1",
    "*:1",
    "a b:1",
  ];
  for (const address of listen) {
    const [line, ...more] = await faults({ listen: address });
    assert.match(line ?? "", /^flag --listen: listen: Expected HOST:PORT/, address);
    assert.deepEqual(more, []);
  }
  const urls: readonly (readonly [string, RegExp])[] = [
    ["gateway.example.com", /Expected a URL such as/],
    ["ftp://example.com", /starts with https/],
    ["https://a:hidden@example.com", /without a password/],
    ["https://example.com/?hidden", /without '\?' and '#'/],
    ["https://example.com/v1/", /without \/v1/],
  ];
  for (const [url, message] of urls) {
    const [line, ...more] = await faults({ base_url: url });
    assert.match(line ?? "", message);
    assert.doesNotMatch(line ?? "", /hidden/);
    assert.deepEqual(more, []);
  }
});

Deno.test("loadSettings() warns of variables that mean nothing", async () => {
  const { warnings } = await load({}, {
    env: { TOLLGATE_LISTNE: "x", TOLLGATE_ZZZZZZZZZZ: "y", PATH: "z", TOLLGATE_CONFIG: "" },
  });
  assert.deepEqual(warnings.map(formatProblem), [
    "variable TOLLGATE_LISTNE: No setting has this name: did you mean TOLLGATE_LISTEN?",
    "variable TOLLGATE_ZZZZZZZZZZ: No setting has this name",
  ]);
});

Deno.test("loadSettings() takes an empty variable for none", async () => {
  const { settings, shown } = await load({}, {
    env: { TOLLGATE_BASE_URL: "", TOLLGATE_LISTEN: "" },
  });
  assert.equal(settings.baseUrl, undefined);
  assert.equal(shownOf(shown, "listen")?.source, "default");
});

Deno.test("loadSettings() never shows the admin key", async () => {
  const { settings, shown, warnings } = await load({}, {
    env: { TOLLGATE_ADMIN_KEY: "env:ADMIN", ADMIN: " sesame-hidden\n" },
  });
  assert.equal(settings.adminKey, "sesame-hidden");
  assert.deepEqual(shownOf(shown, "admin_key"), {
    name: "admin_key",
    value: "(hidden)",
    source: "variable TOLLGATE_ADMIN_KEY",
  });
  assert.deepEqual(warnings.map(formatProblem), [
    "variable TOLLGATE_ADMIN_KEY: admin_key: Shorter than 16 characters: it can be guessed",
  ]);
  assert.doesNotMatch(JSON.stringify([shown, warnings]), /sesame/);
  await withConfig("admin_key: sesame-hidden\n", async ({ folder }) => {
    assert.deepEqual(await faults({ config: "settings.yaml" }, { cwd: folder }), [
      "settings.yaml:1:12: admin_key: Expected a reference, not the key itself: " +
      "write env:NAME, file:/path or credential:NAME",
    ]);
  });
});

Deno.test("loadSettings() takes paths in the file as relative to the file", async () => {
  await withConfig("data_dir: d\ncatalog: c.yaml\n", async ({ folder }) => {
    const { settings } = await load({}, { env: { TOLLGATE_CONFIG: `${folder}/settings.yaml` } });
    assert.equal(settings.dataDir, `${folder}/d`);
    assert.equal(settings.catalog, `${folder}/c.yaml`);
  });
});

Deno.test("loadSettings() names a config file that it cannot read", async () => {
  assert.deepEqual(await faults({ config: "none.yaml" }), [
    "flag --config: config: Cannot read 'none.yaml': it does not exist",
  ]);
  assert.deepEqual(await faults({}, { env: { TOLLGATE_CONFIG: "none.yaml" } }), [
    "variable TOLLGATE_CONFIG: config: Cannot read 'none.yaml': it does not exist",
  ]);
});

Deno.test("loadSettings() asks for a data dir where it can choose none", async () => {
  assert.deepEqual(await faults({}, { writable: [] }), [
    "default: data_dir: No folder to keep data in: set --data-dir or TOLLGATE_DATA_DIR",
  ]);
});

Deno.test("loadSettings() gives settings that nobody can change", async () => {
  const { settings } = await load();
  for (const part of [settings, settings.listen, settings.bodies, settings.connections]) {
    assert.ok(Object.isFrozen(part));
  }
});
