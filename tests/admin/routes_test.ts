/**
 * Routes and the question which of them would serve.
 *
 * @module
 */

import assert from "node:assert/strict";
import { explainRoutes } from "../../src/admin/explain.ts";
import { createKey, disableKey } from "../../src/admin/accounts/keys.ts";
import { listModels } from "../../src/admin/catalogue/models.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { setProject } from "../../src/admin/accounts/projects.ts";
import { listProviders, testProviders } from "../../src/admin/catalogue/providers.ts";
import { listRoutes } from "../../src/admin/catalogue/routes.ts";
import {
  disableRoute,
  enableRoute,
  maintainRoute,
} from "../../src/admin/catalogue/route_switches.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

function explain(admin: TestAdmin, input: object) {
  return runOperation(explainRoutes, { deps: admin.deps, input: { model: "small", ...input } });
}

Deno.test("routes are listed with state, price and cool-down", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock, health } = admin;
  for (let failure = 0; failure < 5; failure++) {
    health.record("two/small", { outcome: "broken", startedAt: clock.monotonic() });
  }
  const { data: rows } = await runOperation(listRoutes, { deps, input: {} });
  assert.deepEqual(rows.map(({ id, status }) => [id, status]), [
    ["one/small", "ready"],
    ["two/small", "circuit_open"],
    ["one/large", "unpriced"],
  ]);
  assert.equal(rows[1]?.cooling_seconds, 30);
  assert.deepEqual(rows.map(({ cooling_for }) => cooling_for), [[], [], []]);
  assert.equal(rows[0]?.price?.input, "2.00000000");
  assert.equal(rows[2]?.price, null);
  const { data: small } = await runOperation(listRoutes, { deps, input: { model: "tiny" } });
  assert.equal(small.length, 2);
  await assert.rejects(
    runOperation(listRoutes, { deps, input: { model: "smal" } }),
    /did you mean 'small'/,
  );
});

Deno.test("a route says which projects it cools down for, unless that is everybody", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock, health } = admin;
  const breakOff = (projectId: string) => {
    for (let failure = 0; failure < 5; failure++) {
      health.record("two/small", { outcome: "broken", projectId, startedAt: clock.monotonic() });
    }
  };
  const look = async () => {
    const { data: rows } = await runOperation(listRoutes, { deps, input: {} });
    return [rows[1]?.status, rows[1]?.cooling_seconds, rows[1]?.cooling_for];
  };
  breakOff("shop");
  assert.deepEqual(await look(), ["circuit_open", 30, ["shop"]]);
  const { notes } = await explain(admin, {});
  assert.deepEqual(notes, [
    "two/small is shut for project shop alone: --project ID shows how it is for another one",
  ]);
  assert.deepEqual((await explain(admin, { project: "paying" })).notes, []);
  breakOff("web");
  assert.deepEqual(await look(), ["circuit_open", 30, []]);
  assert.deepEqual((await explain(admin, {})).notes, []);
});

Deno.test("explain says why the only route rests, and that calls may probe it", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { clock, health } = admin;
  for (const route of ["one/small", "two/small"]) {
    health.record(route, {
      outcome: "operator",
      fault: "key",
      projectId: "paying",
      startedAt: clock.monotonic(),
    });
    clock.advance(2_000);
  }
  const { candidates, notes } = await explain(admin, {});
  assert.deepEqual(candidates.map(({ last_resort }) => last_resort), [true]);
  assert.match(
    notes[0]!,
    /^one\/small rests: its upstream does not take the gateway's key\. No other route is better off, so calls may probe it/,
  );
});

Deno.test("switches are stored, live, and work where a file owns the catalogue", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE, catalogueOwner: "/etc/t.yaml" });
  const { deps } = admin;
  const input = { route: "one/small" };
  assert.equal((await runOperation(disableRoute, { deps, input })).status, "disabled");
  assert.equal((await runOperation(maintainRoute, { deps, input })).maintenance, true);
  assert.equal(deps.catalogue.current.route("one/small")?.enabled, false);
  assert.deepEqual(await deps.storage.catalogue.load(), deps.catalogue.current.catalogue);
  assert.equal((await runOperation(enableRoute, { deps, input })).status, "maintenance");
  const off = { ...input, maintenance: false };
  assert.equal((await runOperation(maintainRoute, { deps, input: off })).status, "ready");
  await assert.rejects(
    runOperation(disableRoute, { deps, input: { route: "one/smal" } }),
    /There is no route 'one\/smal': did you mean 'one\/small'\?/,
  );
});

Deno.test("why a route is switched off is kept, shown to operators and noted, until it is back", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const route = "one/small";
  const reason = "<b>bills</b> twice";
  const at = new Date(deps.clock.now()).toISOString();
  const off = await runOperation(disableRoute, { deps, input: { route, reason: ` ${reason} ` } });
  assert.deepEqual(off.switched_off, [{ switch: "disabled", reason, since: at }]);
  assert.deepEqual(await deps.storage.catalogue.load(), deps.catalogue.current.catalogue);
  const { rejected } = await explain(admin, {});
  assert.deepEqual(rejected.map(({ reason, detail }) => [reason, detail]), [
    ["disabled", `since ${at}: ${reason}`],
  ]);
  await runOperation(maintainRoute, { deps, input: { route } });
  await runOperation(enableRoute, { deps, input: { route } });
  const { data: [row] } = await runOperation(listRoutes, { deps, input: {} });
  assert.deepEqual(row!.switched_off, [{ switch: "maintenance", reason: null, since: at }]);
  await assert.rejects(
    runOperation(maintainRoute, { deps, input: { route, maintenance: false, reason } }),
    { param: "reason" },
  );
  const back = { route, maintenance: false };
  assert.deepEqual((await runOperation(maintainRoute, { deps, input: back })).switched_off, []);
  assert.deepEqual(await deps.storage.catalogue.load(), deps.catalogue.current.catalogue);
  const rows = await deps.storage.audit.list({ limit: 9, subject: `route:${route}` });
  assert.deepEqual(rows.slice(0, 4).map(({ before, after }) => ({ before, after })), [
    { before: { maintenance: true }, after: { maintenance: false } },
    { before: { enabled: false, reason }, after: { enabled: true, reason: null } },
    { before: { maintenance: false }, after: { maintenance: true } },
    { before: { enabled: true, reason: null }, after: { enabled: false, reason } },
  ]);
});

Deno.test("who switches a route off once more, without a word, leaves the reason that is there", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const route = "one/small";
  const since = new Date(deps.clock.now()).toISOString();
  for (const operation of [disableRoute, maintainRoute]) {
    const which = operation === disableRoute ? "disabled" : "maintenance";
    const noteAfter = async (input: object) => {
      const { switched_off } = await runOperation(operation, { deps, input: { route, ...input } });
      return switched_off!.find((note) => note.switch === which);
    };
    const audited = async () =>
      (await deps.storage.audit.list({ limit: 99, subject: `route:${route}` })).length;
    const before = await audited();
    assert.deepEqual(await noteAfter({}), { switch: which, reason: null, since });
    const told = { switch: which, reason: "bills twice", since };
    assert.deepEqual(await noteAfter({ reason: "bills twice" }), told);
    assert.deepEqual(await noteAfter({}), told);
    assert.equal(await audited(), before + 2, "nothing was changed, so nothing is noted");
    assert.deepEqual(await noteAfter({ reason: "slow" }), { ...told, reason: "slow" });
  }
  assert.deepEqual(await deps.storage.catalogue.load(), deps.catalogue.current.catalogue);
  // What is switched on again has lost it.
  await runOperation(enableRoute, { deps, input: { route } });
  const { switched_off } = await runOperation(disableRoute, { deps, input: { route } });
  assert.deepEqual(switched_off!.map(({ reason }) => reason), [null, "slow"]);
});

Deno.test("explain covers every route of the model, with price and reason", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const cheapest = await explain(admin, {
    routing_preference: "lowest_price",
    prompt_tokens: 1_000_000,
    max_tokens: 500_000,
  });
  assert.deepEqual(cheapest.candidates.map(({ route, price }) => [route, price.quote]), [
    ["two/small", "1.50000000"],
    ["one/small", "4.00000000"],
  ]);
  assert.deepEqual(cheapest.rejected, []);
  const tools = await explain(admin, { tools: true });
  assert.deepEqual(tools.candidates.map(({ route }) => route), ["one/small"]);
  assert.deepEqual(tools.rejected.map(({ route, reason }) => [route, reason]), [
    ["two/small", "tools_not_supported"],
  ]);
  const low = await explain(admin, { exclude_risk_levels: ["high"], provider: "two" });
  assert.deepEqual(low.rejected.map(({ reason }) => reason).sort(), [
    "provider_not_requested",
    "risk_level_excluded",
  ]);
  const large = await explain(admin, { model: "large" });
  assert.deepEqual(large.rejected.map(({ reason }) => reason), ["unpriced"]);
  const named = await explain(admin, { model: "large", route: "one/large" });
  assert.deepEqual(named.candidates, []);
  assert.match(named.notes.join(), /callers may not name a provider or route for large/);
  await assert.rejects(explain(admin, { routing_preference: "cheapest" }), {
    param: "routing_preference",
  });
  await assert.rejects(explain(admin, { model: "none" }), /There is no model 'none'/);
});

Deno.test("explain says which routes have a tool run, and which leave it out", async () => {
  const catalogue = CATALOGUE
    .replace("supports: { tools: false }", "drop_tools: [web_search*]");
  await using admin = await openTestAdmin({ catalogue });
  const asked = await explain(admin, { server_tools: ["web_search_preview"] });
  assert.deepEqual(asked.candidates.map(({ route }) => route), ["two/small"]);
  assert.deepEqual(asked.notes.filter((note) => note.includes("drop_tools")), [
    "two/small serves the request without web_search_preview, as its drop_tools says",
  ]);
  assert.deepEqual(asked.rejected.map(({ route, reason }) => [route, reason]), [
    ["one/small", "tools_not_supported"],
  ]);
  // Where no route leaves it out or has it, the answer of the one that is asked says so.
  const neither = await explain(admin, { server_tools: ["mcp"] });
  assert.equal(neither.candidates.length, 2);
});

Deno.test("explain says whether a project or key may use the model and can pay", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const question = { project: "paying", prompt_tokens: 1000, max_tokens: 1000 };
  const poor = await explain(admin, question);
  assert.deepEqual(poor.candidates, []);
  assert.deepEqual(poor.rejected.map(({ reason }) => reason), [
    "balance_too_low",
    "balance_too_low",
  ]);
  assert.match(poor.rejected[0]?.detail ?? "", /would hold 0\.\d{8}, the balance is 0\.00000000/);
  await runOperation(creditProject, { deps, input: { project: "paying", amount: "5" } });
  const rich = await explain(admin, question);
  assert.equal(rich.candidates.length, 2);
  assert.match(rich.candidates[0]?.hold ?? "", /^0\.0\d{7}$/);
  assert.equal(rich.caller?.may_use, true);

  await runOperation(setProject, { deps, input: { project: "paying", models: ["large"] } });
  assert.deepEqual((await explain(admin, question)).caller?.refusals, [
    "the project may not use small",
  ]);
  const { id } = await runOperation(createKey, {
    deps,
    input: {
      project: "free",
      name: "",
      models: ["sm*"],
      limits: {},
    },
  });
  await runOperation(disableKey, { deps, input: { key_id: id } });
  const disabled = await explain(admin, { key: id });
  assert.deepEqual(disabled.caller?.refusals, ["the key is disabled"]);
  assert.equal(disabled.caller?.unlimited, true);
  assert.equal(disabled.candidates[0]?.hold, "0.00000000");
});

Deno.test("explain's hold is of the request as the route's rules make it", async () => {
  const catalogue = CATALOGUE.replace(
    'sale: { markup: "1.50" }',
    'set: { modalities: [text, audio] }\n        sale: { input: "1", output: "2", output_audio: "50" }',
  );
  await using admin = await openTestAdmin({ catalogue });
  const { deps } = admin;
  await runOperation(creditProject, { deps, input: { project: "paying", amount: "5" } });
  const question = { project: "paying", prompt_tokens: 0, max_tokens: 1000 };
  const { candidates } = await explain(admin, question);
  const held = (id: string) => candidates.find(({ route }) => route === id)?.hold;
  // 31 of them are bytes of the rule, any of which may be a token.
  assert.equal(held("two/small"), "0.05003100");
  assert.equal(held("one/small"), "0.00800000");
});

Deno.test("models and providers are listed without secrets", async () => {
  const text = CATALOGUE.replace(
    "official: true",
    'official: true, api_key: "env:ONE_KEY", headers: { x-team: hidden-value }',
  );
  await using admin = await openTestAdmin({ catalogue: text });
  const { deps } = admin;
  const { data: models } = await runOperation(listModels, { deps, input: {} });
  assert.deepEqual(
    models.map(({ id, routes, usable_routes, from_price, from_price_per }) => ({
      id,
      routes,
      usable_routes,
      from_price,
      from_price_per,
    })),
    [
      {
        id: "small",
        routes: 2,
        usable_routes: 2,
        from_price: "0.75000000",
        from_price_per: "million_tokens",
      },
      { id: "large", routes: 1, usable_routes: 0, from_price: null, from_price_per: null },
    ],
  );
  const { data: providers } = await runOperation(listProviders, { deps, input: {} });
  assert.deepEqual(providers[0]?.api_keys, ["env:ONE_KEY"]);
  assert.deepEqual(providers[0]?.headers, ["x-team"]);
  assert.ok(!JSON.stringify(providers).includes("hidden-value"));
});

Deno.test("providers are asked something free, and one that fails says so", async () => {
  const upstream = Deno.serve({ port: 0, onListen() {} }, (request) => {
    assert.ok(new URL(request.url).pathname.endsWith("/models"));
    return Response.json({ object: "list", data: [{ id: "m" }] });
  });
  const text = CATALOGUE.replace("127.0.0.1:9/v1", `127.0.0.1:${upstream.addr.port}/v1`);
  await using admin = await openTestAdmin({ catalogue: text });
  const { deps } = admin;
  const rows = await runOperation(testProviders, { deps, input: {} });
  assert.deepEqual(rows.map(({ provider, ok }) => [provider, ok]), [["one", true], ["two", false]]);
  assert.notEqual(rows[1]?.detail, "");
  await assert.rejects(
    runOperation(testProviders, { deps, input: { provider: "tow" } }),
    /did you mean 'two'/,
  );
  await upstream.shutdown();
});

Deno.test("a route none of whose keys has a value says so, and is not usable", async () => {
  const text = CATALOGUE.replace(
    "official: true",
    'official: true, api_key: ["env:ONE_KEY", "file:/nowhere/key"]',
  );
  await using admin = await openTestAdmin({ catalogue: text });
  const asServer = { deps: { ...admin.deps, process: { kind: "server", pid: 1 } } } as const;
  const { data: rows } = await runOperation(listRoutes, { ...asServer, input: { model: "small" } });
  assert.deepEqual(rows.map(({ id, status, missing_keys }) => [id, status, missing_keys]), [
    ["one/small", "no_key", ["env:ONE_KEY", "file:/nowhere/key"]],
    ["two/small", "ready", []],
  ]);
  const { data: models } = await runOperation(listModels, { ...asServer, input: {} });
  assert.equal(models[0]?.usable_routes, 1);
  const { notes } = await runOperation(explainRoutes, { ...asServer, input: { model: "small" } });
  assert.match(
    notes.join(),
    /one\/small will fail: env:ONE_KEY, file:\/nowhere\/key have no value/,
  );
  assert.doesNotMatch(notes.join(), /two\/small/);
  // Where its files stand is for those who run the gateway.
  const origin = { ...admin.deps.origin, rights: { role: "viewer" } as const };
  const asViewer = { deps: { ...asServer.deps, origin } };
  const { data: [theirs] } = await runOperation(listRoutes, { ...asViewer, input: {} });
  assert.deepEqual(theirs?.missing_keys, ["env:ONE_KEY", "file:key"]);
  const told = await runOperation(explainRoutes, { ...asViewer, input: { model: "small" } });
  assert.doesNotMatch(JSON.stringify(told), /nowhere/);
  // A command's environment says nothing of the one that a server is started with.
  const { data: seen } = await runOperation(listRoutes, { deps: admin.deps, input: {} });
  assert.equal(seen[0]?.status, "ready");
});

Deno.test("explain takes a request's models, sort and required parameters, and shows what each does", async () => {
  await using admin = await openTestAdmin({
    catalogue: `${CATALOGUE}  - { id: narrow, models: [small] }\n`,
  });
  const both = await explain(admin, { models: ["none", "large"] });
  assert.deepEqual(both.models, ["small", "large"]);
  assert.deepEqual(
    [...both.candidates, ...both.rejected].map(({ route }) => route).sort(),
    ["one/large", "one/small", "two/small"],
  );
  assert.match(both.notes.join("\n"), /'none' of models is left out: There is no model 'none'/);
  const first = await explain(admin, { model: "none", models: ["small"] });
  assert.equal(first.model, "small");
  const narrow = await explain(admin, { models: ["large"], project: "narrow" });
  assert.deepEqual(narrow.models, ["small"]);
  assert.match(narrow.notes.join("\n"), /'large' of models is left out: .*may not use/);
  await assert.rejects(explain(admin, { model: "no", models: ["none"] }), /no model 'no'/);

  const sorted = await explain(admin, { provider_sort: "price" });
  assert.equal(sorted.routing_preference, "lowest_price");
  const fast = await explain(admin, { model: "small:nitro" });
  assert.equal(fast.routing_preference, "highest_throughput");
  assert.equal(fast.candidates[0]!.tokens_per_second, null);
  await assert.rejects(
    explain(admin, { provider_sort: "price", routing_preference: "lowest_latency" }),
    { param: "provider_sort" },
  );
  const kept = await explain(admin, { require_parameters: true, tools: true });
  assert.deepEqual(kept.rejected.map(({ reason }) => reason).sort(), [
    "parameter_not_kept",
    "parameter_not_kept",
  ]);
  const plain = await explain(admin, { require_parameters: true, parameters: ["seed"] });
  assert.deepEqual(plain.rejected, []);
  const gone = await explain(admin, { sticky: "two/small", tools: true });
  assert.match(gone.notes.join("\n"), /two\/small cannot serve now: the conversation goes on else/);
  const stays = await explain(admin, { sticky: "two/small" });
  assert.doesNotMatch(stays.notes.join("\n"), /two\/small/);
  assert.match((await explain(admin, { sticky: "x/y" })).notes.join("\n"), /none of this model's/);
  const cheap = await explain(admin, { max_price_request: "0" });
  assert.equal("models" in cheap, false);
});
