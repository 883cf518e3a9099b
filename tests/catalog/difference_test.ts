/**
 * What applying a catalogue file changes, and what it leaves alone.
 *
 * @module
 */

import assert from "node:assert/strict";
import { describeChange } from "../../src/catalog/change.ts";
import { type ApplyPlan, compareCatalogues, planApply } from "../../src/catalog/difference.ts";
import { firstCatalogue } from "../../src/catalog/first_catalogue.ts";
import { toFile } from "../support/catalogue_file.ts";
import type { Project } from "../../src/domain/account.ts";
import type { Catalogue, Route } from "../../src/domain/catalogue.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { EXAMPLE_FILE, FULL_FILE, readGood } from "./example_file.ts";

const EMPTY: Catalogue = { currency: "USD", providers: [], models: [] };
const NOW = { prune: false, nowMs: 1_700_000_000_999 };

interface State {
  readonly catalogue: Catalogue;
  readonly projects: readonly Project[];
}

const NOTHING: State = { catalogue: EMPTY, projects: [] };

function plan(state: State, text: string, options: { prune?: boolean; nowMs?: number } = {}) {
  const known = state.catalogue.providers;
  const planned = planApply(state, readGood(text, known).value, { ...NOW, ...options });
  if (!planned.ok) assert.fail(planned.faults.map(({ message }) => message).join("\n"));
  return planned;
}

function faultsOf(state: State, text: string, options: { prune?: boolean } = {}) {
  const known = state.catalogue.providers;
  const planned = planApply(state, readGood(text, known).value, { ...NOW, ...options });
  assert.ok(!planned.ok, "the plan was accepted");
  return planned.faults;
}

function lines(planned: ApplyPlan): string[] {
  return planned.changes.map(describeChange);
}

/** What storage does with a plan: new price versions get numbers, projects are written. */
function carryOut(state: State, planned: ApplyPlan, firstVersion = 1): State {
  let version = firstVersion;
  const numbered = (route: Route): Route =>
    route.prices.version > 0
      ? route
      : { ...route, prices: { ...route.prices, version: version++ } };
  const written = new Map(planned.projects.update.map((project) => [project.id, project]));
  return {
    catalogue: {
      ...planned.catalogue,
      models: planned.catalogue.models.map((model) => ({
        ...model,
        routes: model.routes.map(numbered),
      })),
    },
    projects: [
      ...state.projects.map((project) => written.get(project.id) ?? project),
      ...planned.projects.create,
    ],
  };
}

function applied(text: string, state: State = NOTHING): State {
  return carryOut(state, plan(state, text));
}

function routeOf({ catalogue }: { catalogue: Catalogue }, id: string): Route {
  const route = catalogue.models.flatMap(({ routes }) => routes).find((one) => one.id === id);
  assert.ok(route, `no route ${id}`);
  return route;
}

function withRoute(state: State, id: string, change: Partial<Route>): State {
  const models = state.catalogue.models.map((model) => ({
    ...model,
    routes: model.routes.map((route) => route.id === id ? { ...route, ...change } : route),
  }));
  return { ...state, catalogue: { ...state.catalogue, models } };
}

Deno.test("planApply() adds everything to nothing", () => {
  const planned = plan(NOTHING, EXAMPLE_FILE);
  assert.deepEqual(lines(planned), [
    "+ provider openai",
    "+ provider builtin",
    "+ model gpt-5-mini",
    "+ model video-2",
    "+ route openai/gpt-5-mini",
    "+ route builtin/video-2",
    "+ project default",
  ]);
  assert.equal(planned.catalogue.models[0]?.createdAt, 1_700_000_000);
  assert.deepEqual(planned.projects, {
    create: [{
      id: "default",
      unlimited: true,
      disabled: false,
      models: ["*"],
      limits: {
        requestsPerMinute: 600,
        tokensPerMinute: 1_000_000,
        concurrent: 100,
        openVideoTasks: 10,
      },
      budgets: {},
      quotas: {},
      createdAt: 1_700_000_000_999,
    }],
    update: [],
  });
});

Deno.test("planApply() changes nothing when the same file is applied again", () => {
  for (const text of [EXAMPLE_FILE, FULL_FILE]) {
    const state = applied(text);
    for (const prune of [false, true]) {
      const again = plan(state, text, { prune, nowMs: 1_800_000_000_000 });
      assert.deepEqual(again.changes, []);
      assert.deepEqual(again.projects, { create: [], update: [] });
      assert.deepEqual(again.catalogue, state.catalogue);
    }
  }
});

Deno.test("planApply() changes nothing when what is there is applied", () => {
  const state = applied(FULL_FILE);
  const written = JSON.stringify(toFile(state.catalogue, state.projects));
  const again = plan(state, written, { prune: true });
  assert.deepEqual(again.changes, []);
  assert.deepEqual(again.catalogue, state.catalogue);
});

Deno.test("planApply() with prune reaches the same state from anywhere", () => {
  const options = { prune: true };
  const direct = plan(NOTHING, EXAMPLE_FILE, options).catalogue;
  for (const before of [NOTHING, applied(FULL_FILE), applied(EXAMPLE_FILE)]) {
    const detour = plan(before, EXAMPLE_FILE, options).catalogue;
    assert.deepEqual(toFile(detour), toFile(direct));
  }
});

Deno.test("planApply() keeps what the file lacks, unless it prunes", () => {
  const first: State = { catalogue: firstCatalogue({ nowSeconds: 5 }), projects: [] };
  const kept = plan(first, EXAMPLE_FILE);
  assert.deepEqual(kept.catalogue.models.map(({ id }) => id), [
    "gpt-5-mini",
    "video-2",
    "echo-1",
    "hash-embed-1",
  ]);
  assert.equal(kept.catalogue.models[2]?.createdAt, 5);
  assert.doesNotMatch(lines(kept).join("\n"), /echo-1|builtin$/m);

  const pruned = plan(first, EXAMPLE_FILE, { prune: true });
  assert.deepEqual(pruned.catalogue.models.map(({ id }) => id), ["gpt-5-mini", "video-2"]);
  assert.deepEqual(lines(pruned).filter((line) => line.startsWith("-")), [
    "- model echo-1",
    "- model hash-embed-1",
    "- route builtin/echo-1",
    "- route builtin/hash-embed-1",
  ]);
});

Deno.test("planApply() keeps a listed model's other routes, unless it prunes", () => {
  const state = applied(FULL_FILE);
  const fewer = FULL_FILE.replace(/\n.*id: local\/llama.*/, "");
  assert.deepEqual(lines(plan(state, fewer)), []);
  assert.deepEqual(lines(plan(state, fewer, { prune: true })), ["- route local/llama"]);
});

Deno.test("planApply() never removes a project", () => {
  const state = applied(EXAMPLE_FILE);
  const planned = plan(state, "{}", { prune: true });
  assert.deepEqual(lines(planned), [
    "- provider openai",
    "- provider builtin",
    "- model gpt-5-mini",
    "- model video-2",
    "- route openai/gpt-5-mini",
    "- route builtin/video-2",
  ]);
  assert.deepEqual(planned.projects, { create: [], update: [] });
});

Deno.test("planApply() names each setting that changes, in the file's words", () => {
  const changed = EXAMPLE_FILE
    .replace('input: "0.25"', 'input: "0.30"')
    .replace('cached_input: "0.025", ', "")
    .replace('markup: "1.10"', "free: true")
    .replace("aliases: [small]", "aliases: [small, mini]")
    .replace("official: true", "headers: { x-secretish: hidden }")
    .replace('"640x360": "0.01"', '"640x360": "0.00000001"')
    .replace("concurrent: 100, ", "")
    .replace("weight: 1", "weight: 1.5");
  const planned = plan(applied(EXAMPLE_FILE), changed);
  assert.deepEqual(lines(planned), [
    "~ provider openai: official true → false, headers.x-secretish (none) → (hidden)",
    '~ model gpt-5-mini: aliases ["small"] → ["small","mini"]',
    "~ route openai/gpt-5-mini: weight 1 → 1.5, cost.input 0.25 → 0.30, " +
    "cost.cached_input 0.025 → (none), sale.markup 1.10 → (none), sale.free (none) → true",
    '~ route builtin/video-2: sale.when [{"size":"1280x720","second":"0.02"},{"size":"640x360","second":"0.01"}] → [{"size":"1280x720","second":"0.02"},{"size":"640x360","second":"0.00000001"}]',
    "~ project default: limits.concurrent 100 → (none)",
  ]);
  assert.deepEqual(planned.projects.create, []);
  assert.deepEqual(planned.projects.update.map(({ limits }) => limits), [
    { requestsPerMinute: 600, tokensPerMinute: 1_000_000, openVideoTasks: 10 },
  ]);
});

Deno.test("planApply() gives a new price version to routes whose prices differ, and to no other", () => {
  const state = applied(EXAMPLE_FILE);
  assert.equal(routeOf(state, "openai/gpt-5-mini").prices.version, 1);
  const same = EXAMPLE_FILE.replace('"0.25"', '"0.25000000"').replace('"2.00"', '"2"')
    .replace("weight: 1", "weight: 3");
  assert.equal(routeOf(plan(state, same), "openai/gpt-5-mini").prices.version, 1);
  const dearer = plan(state, EXAMPLE_FILE.replace('"0.25"', '"0.25000001"'));
  assert.equal(routeOf(dearer, "openai/gpt-5-mini").prices.version, 0);
  assert.equal(routeOf(dearer, "builtin/video-2").prices.version, 2);
});

Deno.test("planApply() keeps a route's switches while the file says what it said before", () => {
  const silent = EXAMPLE_FILE.replace(/\n.*enabled: true/, "");
  const off = EXAMPLE_FILE.replace("enabled: true", "enabled: false");
  const switches = { enabled: false, maintenance: true };
  for (const text of [EXAMPLE_FILE, silent]) {
    const state = withRoute(applied(text), "openai/gpt-5-mini", switches);
    for (const same of [EXAMPLE_FILE, silent]) {
      for (const prune of [false, true]) assert.deepEqual(lines(plan(state, same, { prune })), []);
    }
    const other = plan(state, "{}");
    assert.deepEqual(lines(other), []);
  }

  const state = withRoute(applied(off), "openai/gpt-5-mini", { enabled: true });
  assert.deepEqual(lines(plan(state, off)), []);
  assert.deepEqual(lines(plan(applied(EXAMPLE_FILE), off)), [
    "~ route openai/gpt-5-mini: enabled true → false",
  ]);
  assert.deepEqual(lines(plan(applied(off), EXAMPLE_FILE)), [
    "~ route openai/gpt-5-mini: enabled false → true",
  ]);
  const serviced = EXAMPLE_FILE.replace("weight: 1", "maintenance: true");
  assert.deepEqual(lines(plan(applied(EXAMPLE_FILE), serviced)), [
    "~ route openai/gpt-5-mini: maintenance false → true",
  ]);
});

Deno.test("planApply() foresees what a database makes of its plan", async () => {
  const folder = await Deno.makeTempDir();
  const storage = createSqliteStorage(`${folder}/tollgate.db`);
  const write = async (entry: Entry) => {
    const [result] = await storage.commitBatch([entry]);
    assert.ok(result?.ok, result?.ok === false ? result.message : "no result");
  };
  try {
    const off = EXAMPLE_FILE.replace("enabled: true", "enabled: false");
    let stored: Catalogue = EMPTY;
    const apply = async (text: string, { prune = false } = {}) => {
      const planned = plan({ catalogue: stored, projects: [] }, text, { prune });
      const before = stored;
      await write({ kind: "write_catalogue", catalogue: planned.catalogue, at: 5 });
      stored = (await storage.catalogue.load())!;
      const became = compareCatalogues(before, stored).map(describeChange);
      assert.deepEqual(became, lines(planned).filter((line) => !line.includes(" project ")));
      return became;
    };
    const flip = async (enabled: boolean) => {
      const routeId = "openai/gpt-5-mini";
      await write({ kind: "switch_route", routeId, enabled, maintenance: false });
      stored = (await storage.catalogue.load())!;
    };
    const enabledLine = (change: string) => [`~ route openai/gpt-5-mini: enabled ${change}`];
    assert.equal((await apply(EXAMPLE_FILE)).length, 6);
    assert.deepEqual(await apply(EXAMPLE_FILE, { prune: true }), []);
    await flip(false);
    assert.deepEqual(await apply(EXAMPLE_FILE), []);
    assert.deepEqual(await apply("{}"), []);
    assert.deepEqual(await apply(EXAMPLE_FILE), []);
    assert.equal(routeOf({ catalogue: stored }, "openai/gpt-5-mini").enabled, false);
    assert.deepEqual(await apply(off), []);
    await flip(true);
    assert.deepEqual(await apply(off), []);
    assert.deepEqual(await apply(EXAMPLE_FILE), []);
    assert.deepEqual(await apply(off), enabledLine("true → false"));
    assert.deepEqual(await apply(EXAMPLE_FILE), enabledLine("false → true"));
    await apply(FULL_FILE, { prune: true });
    assert.deepEqual(await apply(FULL_FILE), []);
  } finally {
    await storage.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("planApply() leaves a project's switch and age alone", () => {
  const state = applied(EXAMPLE_FILE);
  const disabled = state.projects.map((project) => ({ ...project, disabled: true, createdAt: 3 }));
  const planned = plan({ ...state, projects: disabled }, EXAMPLE_FILE.replace('["*"]', "[small]"));
  assert.deepEqual(lines(planned), ['~ project default: models ["*"] → ["small"]']);
  assert.equal(planned.projects.update[0]?.disabled, true);
  assert.equal(planned.projects.update[0]?.createdAt, 3);
});

Deno.test("planApply() moves a route between models", () => {
  const model = (id: string, routes: string) =>
    `- { id: ${id}, kind: chat, routes: [${routes}] }\n`;
  const route = "{ id: r, provider: p, upstream_model: echo-1, free: true }";
  const text = (models: string) => `providers: [{ id: p, kind: builtin }]\nmodels:\n${models}`;
  const state = applied(text(model("a", route)));
  const moved = plan(state, text(model("b", route)));
  assert.deepEqual(lines(moved), ["+ model b", "~ route r: model a → b"]);
  assert.deepEqual(moved.catalogue.models.map(({ id, routes }) => [id, routes.length]), [
    ["b", 1],
    ["a", 0],
  ]);
});

Deno.test("planApply() tells values of body rules apart that only nest nothing", () => {
  const bare = FULL_FILE.replace(", thinking: {} }", " }");
  assert.deepEqual(lines(plan(applied(bare), FULL_FILE)), [
    "~ route azure/llama: set.thinking (none) → {}",
  ]);
});

Deno.test("planApply() lets a file use providers that are there, but not remove them", () => {
  const state = applied(EXAMPLE_FILE);
  const text =
    "models:\n- { id: m, kind: chat, routes: [{ id: m, provider: openai, free: true }] }\n";
  assert.deepEqual(lines(plan(state, text)), ["+ model m", "+ route m"]);
  assert.deepEqual(faultsOf(state, text, { prune: true }), [{
    path: ["models", 0, "routes", 0, "provider"],
    message: "Cannot remove provider 'openai': route 'm' uses it; " +
      "list the provider, or remove the route too",
  }]);
});

Deno.test("planApply() refuses names that belong to models the file does not list", () => {
  const text = "models: [{ id: m, kind: chat, aliases: [small] }, { id: small2, kind: chat }]";
  const faults = faultsOf(applied(EXAMPLE_FILE), text);
  assert.deepEqual(faults.map(({ message }) => message), [
    "The name 'small' belongs to model 'm' and to model 'gpt-5-mini', " +
    "which exists already: choose another name, list that model too, or prune",
  ]);
  plan(applied(EXAMPLE_FILE), text, { prune: true });
});

Deno.test("planApply() changes the currency only of what the file prices", () => {
  const first: State = { catalogue: firstCatalogue({ nowSeconds: 5 }), projects: [] };
  const planned = plan(first, FULL_FILE);
  assert.equal(lines(planned)[0], "~ currency EUR: currency USD → EUR");
  assert.equal(routeOf(planned, "builtin/echo-1").prices.currency, "EUR");

  const [fault, ...more] = faultsOf(applied(EXAMPLE_FILE), FULL_FILE);
  assert.deepEqual(fault?.path, ["currency"]);
  assert.match(fault?.message ?? "", /from USD to EUR: route 'openai\/gpt-5-mini', which the file/);
  assert.equal(more.length, 1);
  plan(applied(EXAMPLE_FILE), FULL_FILE, { prune: true });
});

Deno.test("planApply() changes neither of its arguments", () => {
  const state = applied(EXAMPLE_FILE);
  const before = structuredClone(state);
  plan(state, FULL_FILE, { prune: true });
  assert.deepEqual(state, before);
});
