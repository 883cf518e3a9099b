/**
 * The unit as systemd reads it, judged by systemd's own tools where they are.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type UnitPlan, unitText } from "../../../src/cli/systemd/unit_text.ts";
import { analyze, needsSystemdAnalyze } from "../../support/systemd_analyze.ts";

const PLAN: UnitPlan = {
  // Any program that is there: the analyser looks.
  executable: "/bin/sh",
  variables: {},
  credentials: [],
  backupFolders: [],
  drainTimeoutMs: 30_000,
  hasLowPort: false,
};

const FULL: UnitPlan = {
  ...PLAN,
  variables: {
    TOLLGATE_ADMIN_KEY: "credential:admin_key",
    TOLLGATE_LISTEN: "0.0.0.0:80",
    TOLLGATE_CATALOG: '/etc/toll gate/"100%"\\$HOME.yaml',
  },
  credentials: [
    { name: "admin_key", path: "/etc/tollgate/admin.key" },
    { name: "openai", path: "/etc/tollgate/openai.key" },
  ],
  backupFolders: ["/mnt/backups", "/srv/back ups/tollgate"],
  drainTimeoutMs: 90_500,
  hasLowPort: true,
};

/** Values of a directive, in their order. */
function valuesOf(unit: string, name: string): string[] {
  return unit.split("\n").filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));
}

Deno.test("unitText() says how the server is told, watched and ended", () => {
  const unit = unitText(PLAN);
  const wanted: Readonly<Record<string, string>> = {
    Type: "notify",
    NotifyAccess: "main",
    ExecStart: "/bin/sh serve",
    ExecReload: "/bin/sh -c 'kill -HUP $MAINPID'",
    KillSignal: "SIGTERM",
    TimeoutStopSec: "45",
    WatchdogSec: "60",
    Restart: "on-failure",
    DynamicUser: "yes",
    StateDirectory: "tollgate",
    UMask: "0077",
    ProtectSystem: "strict",
    LimitCORE: "0",
    CapabilityBoundingSet: "",
    EnvironmentFile: "-/etc/tollgate/environment",
    WantedBy: "multi-user.target",
  };
  for (const [name, value] of Object.entries(wanted)) {
    assert.deepEqual(valuesOf(unit, name), [value], name);
  }
  // V8 makes code while it runs: with this the server would not start.
  assert.deepEqual(valuesOf(unit, "MemoryDenyWriteExecute"), []);
  assert.deepEqual(valuesOf(unit, "LoadCredential"), []);
  assert.deepEqual(valuesOf(unit, "ReadWritePaths"), []);
  assert.deepEqual(valuesOf(unit, "ExecStartPre"), []);
  assert.doesNotMatch(unit, /undefined|\n\n\n/);
});

Deno.test("unitText() writes variables as systemd reads them, before the file that overrides them", () => {
  const unit = unitText(FULL);
  assert.deepEqual(valuesOf(unit, "Environment"), [
    "NO_COLOR=1",
    "MALLOC_ARENA_MAX=2",
    "MALLOC_TRIM_THRESHOLD_=262144",
    "TOLLGATE_ADMIN_KEY=credential:admin_key",
    "TOLLGATE_LISTEN=0.0.0.0:80",
    '"TOLLGATE_CATALOG=/etc/toll gate/\\"100%%\\"\\\\$HOME.yaml"',
  ]);
  assert.ok(unit.indexOf("EnvironmentFile=") > unit.lastIndexOf("\nEnvironment="));
  assert.deepEqual(valuesOf(unit, "LoadCredential"), [
    "admin_key:/etc/tollgate/admin.key",
    "openai:/etc/tollgate/openai.key",
  ]);
  assert.deepEqual(valuesOf(unit, "TimeoutStopSec"), ["106"]);
});

Deno.test("unitText() grants the one capability that a low port needs, and nothing else", () => {
  const unit = unitText(FULL);
  assert.deepEqual(valuesOf(unit, "CapabilityBoundingSet"), ["CAP_NET_BIND_SERVICE"]);
  assert.deepEqual(valuesOf(unit, "AmbientCapabilities"), ["CAP_NET_BIND_SERVICE"]);
  assert.deepEqual(valuesOf(unit, "PrivateUsers"), ["no"]);
});

Deno.test("unitText() has root make the folders of backups, and the server write in those alone", () => {
  const unit = unitText(FULL);
  const install = "-+/usr/bin/install --directory --mode=0700 --owner=tollgate --group=tollgate";
  assert.deepEqual(valuesOf(unit, "ExecStartPre"), [
    `${install} "/mnt/backups"`,
    `${install} "/srv/back ups/tollgate"`,
  ]);
  assert.deepEqual(valuesOf(unit, "ReadWritePaths"), [
    '"-/mnt/backups"',
    '"-/srv/back ups/tollgate"',
  ]);
  assert.match(valuesOf(unit, "After").join(), / remote-fs\.target$/);
  assert.deepEqual(valuesOf(unit, "ProtectSystem"), ["strict"]);
});

for (const [name, plan] of [["plain", PLAN], ["full", FULL]] as const) {
  Deno.test(
    `unitText() of a ${name} plan is a unit without faults`,
    needsSystemdAnalyze,
    async () => {
      const { code, output } = await analyze(unitText(plan), ["verify"]);
      assert.equal(output, "");
      assert.equal(code, 0);
    },
  );

  Deno.test(
    `unitText() of a ${name} plan is exposed by 2.0 at most`,
    needsSystemdAnalyze,
    async () => {
      const { code, output } = await analyze(unitText(plan), [
        "security",
        "--offline=yes",
        "--no-pager",
        "--threshold=20",
      ]);
      assert.match(output, /Overall exposure level for tollgate.service: [01]\.\d OK/);
      assert.equal(code, 0);
    },
  );
}
