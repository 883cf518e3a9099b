import assert from "node:assert/strict";
import { ErrorShare } from "../../../src/app/alerts/error_share.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { disableRoute, maintainRoute } from "../../../src/admin/catalogue/route_switches.ts";
import {
  endOfTrouble,
  type GatewaySources,
  gatewayTroubles,
} from "../../../src/app/alerts/gateway_troubles.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "../../admin/test_admin.ts";

const NOTHING = () => undefined;

/** A gateway of which nothing is known to be the matter but what is given. */
function sourcesOf({ deps, health }: TestAdmin, given: Partial<GatewaySources> = {}) {
  return {
    admin: { ...deps, process: { kind: "cli", pid: 1 } },
    health,
    errors: new ErrorShare(),
    errorRatio: 0.25,
    damage: NOTHING,
    backupTrouble: NOTHING,
    backupFolder: NOTHING,
    catalogueTrouble: NOTHING,
    keptSecrets: () => [],
    ...given,
  } satisfies GatewaySources;
}

function named(sources: GatewaySources): string[] {
  return gatewayTroubles(sources).map(({ cause, id, severity }) => `${severity} ${cause}:${id}`);
}

/** Calls of several projects that a route breaks off. */
function breakRoute({ health, clock }: TestAdmin, route: string): void {
  for (let at = 0; at < 40; at++) {
    const startedAt = clock.monotonic();
    const projectId = `p${at % 4}`;
    if (!health.beginAttempt(route, projectId)) return;
    health.record(route, { outcome: "broken", projectId, startedAt });
  }
}

Deno.test("a gateway that is well has nothing the matter", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  assert.deepEqual(named(sourcesOf(admin)), []);
});

Deno.test("a route that is down is told of, gravely where its model has no other", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const sources = sourcesOf(admin);
  breakRoute(admin, "one/small");
  assert.deepEqual(named(sources), ["warning route:one/small"]);
  breakRoute(admin, "two/small");
  assert.deepEqual(named(sources), ["grave route:one/small", "grave route:two/small"]);
  const [route] = gatewayTroubles(sources);
  assert.match(route!.text, /^Route one\/small is down.*: model small has no other that serves$/);
  assert.equal(route!.route, "one/small");
  assert.equal(route!.path, "/console/routes?model=small");
});

Deno.test("an alert of a route tells of those that an operator has switched off, and of its own end so", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const sources = sourcesOf(admin);
  breakRoute(admin, "one/small");
  const input = { route: "two/small", reason: "it bills twice" };
  await runOperation(maintainRoute, { deps, input });
  const [down, ...others] = gatewayTroubles(sources);
  assert.deepEqual(others, []);
  const at = new Date(deps.clock.now()).toISOString();
  assert.ok(
    down!.text.endsWith(
      `model small has no other that serves, as two/small is in maintenance since ${at}: it bills twice`,
    ),
    down!.text,
  );
  assert.equal(endOfTrouble(deps, down!), undefined);
  await runOperation(disableRoute, { deps, input: { route: "one/small", reason: "it is broken" } });
  assert.deepEqual(gatewayTroubles(sources), []);
  assert.equal(endOfTrouble(deps, down!), `now it is disabled since ${at}: it is broken`);
});

Deno.test("errors beyond the share, damage, backups, the catalogue and lost secrets are told of", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const errors = new ErrorShare();
  for (let at = 0; at < 40; at++) errors.add(at % 4 === 0 ? 503 : 200);
  const sources = sourcesOf(admin, {
    errors,
    damage: () => "page 7 is wrong",
    backupTrouble: () => `no folder\n    at some_file.ts:1 ${"x".repeat(1_000)}`,
    catalogueTrouble: () => "y".repeat(1_000),
    keptSecrets: () => [{ reference: "file:/k", message: "file:/k does not exist" }],
  });
  assert.deepEqual(named(sources), [
    "grave ledger:damage",
    "grave errors:calls",
    "warning secret:file/file:/k",
    "warning backup:schedule",
    "warning catalogue:file",
  ]);
  const texts = gatewayTroubles(sources).map(({ text }) => text);
  assert.equal(texts[1], "25 % of the calls of five minutes failed: 10 of 40");
  assert.equal(texts[3], "The backup by schedule failed: no folder");
  assert.ok(texts.every((text) => text.length < 500));
  assert.deepEqual(named({ ...sourcesOf(admin, { errors }), errorRatio: 0.26 }), []);
});

Deno.test("a disk of its own that backups go to is told of once, beside the data dir's", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const MIB = 1024 ** 2;
  const disk = (device: number, free: number) => ({
    ...{ device, bsize: MIB, blocks: 100_000, bavail: free },
    ...{ files: 0, ffree: 0 },
  });
  const look = (data: number, backups: number, device = 2) => {
    const sources = sourcesOf(admin, {
      backupFolder: () => "/mnt/kept",
      roomAt: (folder) => folder === "/mnt/kept" ? disk(device, backups) : disk(1, data),
    });
    return gatewayTroubles(sources);
  };
  const names = (troubles: ReturnType<typeof look>) =>
    troubles.map(({ severity, id }) => `${severity} ${id}`);
  assert.deepEqual(names(look(90_000, 90_000)), []);
  const [full] = look(90_000, 100);
  assert.deepEqual(names([full!]), ["warning backups/problem"]);
  assert.match(full!.text, /^Only 100 MiB of .* on the disk of \/mnt\/kept$/);
  assert.match(full!.help, /--backup-keep/);
  assert.doesNotMatch(full!.help, /video/);
  assert.deepEqual(names(look(100, 1_000)), ["grave problem", "warning backups/warning"]);
  assert.deepEqual(names(look(100, 100, 1)), ["grave problem"], "one disk is told of once");
  // Of a disk that is not mounted the backup itself tells, and all else is told.
  const gone = sourcesOf(admin, {
    backupFolder: () => "/mnt/kept/not/there",
    damage: () => "page 7",
  });
  assert.deepEqual(named(gone), ["grave ledger:damage"]);
});

Deno.test("a provider's secret without a value is told of by its reference alone", async () => {
  await using admin = await openTestAdmin({
    catalogue: CATALOGUE.replace(
      'id: two, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1"',
      (part) => `${part}, api_key: "env:TWO_KEY"`,
    ),
  });
  const sources = sourcesOf(admin);
  const server = { ...sources.admin, process: { kind: "server", pid: 1 } } as const;
  const [secret] = gatewayTroubles({ ...sources, admin: server });
  assert.equal(secret!.id, "two/env:TWO_KEY");
  assert.match(secret!.text, /no value for env:TWO_KEY/);
  assert.equal(secret!.afterMs, 30_000);
});
