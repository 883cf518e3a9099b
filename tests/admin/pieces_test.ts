/**
 * One piece of the catalogue at a time: shown with its version, set, deleted.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as z from "zod";
import { applyCatalogue } from "../../src/admin/catalogue/apply_catalogue.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import { pieceAnswer } from "../../src/admin/catalogue/change_piece.ts";
import { shownPiece } from "../../src/admin/catalogue/piece_operations.ts";
import { deleteModel, setModel, showModel } from "../../src/admin/catalogue/models.ts";
import { deleteProvider, setProvider, showProvider } from "../../src/admin/catalogue/providers.ts";
import { deleteRoute, setRoute, showRoute } from "../../src/admin/catalogue/routes.ts";
import {
  disableRoute,
  enableRoute,
  maintainRoute,
} from "../../src/admin/catalogue/route_switches.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { GatewayError } from "../../src/errors.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

function routeOf({ catalogue }: AdminDeps, id: string) {
  return catalogue.current.route(id)!;
}

Deno.test("a catalogue grows piece by piece, and what is shown and set again changes nothing", async () => {
  await using admin = await openTestAdmin();
  const { deps } = admin;
  const settings = { kind: "openai_compatible", base_url: "https://api.example.com/v1/" };
  const made = await runOperation(setProvider, { deps, input: { id: "acme", settings } });
  assert.deepEqual(made.changes.map(({ line }) => line), ["+ provider acme"]);
  await runOperation(setModel, { deps, input: { id: "m", settings: { kind: "chat" } } });
  const input = { id: "acme/m", settings: { model: "m", provider: "acme", free: true } };
  const routed = await runOperation(setRoute, { deps, input });
  assert.equal(routed.applied, true);
  assert.ok(deps.registry.provider("acme"));
  assert.equal(deps.catalogue.current.model("m")?.routes[0]?.id, "acme/m");

  await giveBack(deps, [showProvider, setProvider], { id: "acme" });
  await giveBack(deps, [showModel, setModel], { id: "m" });
  await giveBack(deps, [showRoute, setRoute], { id: "acme/m" });
});

async function giveBack(
  deps: AdminDeps,
  [show, set]: readonly [Operation, Operation],
  name: object,
): Promise<void> {
  const shown = await runOperation(show, { deps, input: name });
  const { settings, version } = z.object(shownPiece).parse(shown);
  for (const replace of [false, true]) {
    const input = { ...name, settings, replace, if_version: version };
    const again = pieceAnswer.parse(await runOperation(set, { deps, input }));
    assert.deepEqual([again.changes, again.version], [[], version], set.name);
  }
}

Deno.test("settings join, null takes away, and replace leaves only what is given", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const set = async (settings: object, replace = false) =>
    (await runOperation(setRoute, { deps, input: { id: "two/small", settings, replace } }))
      .changes.flatMap(({ fields = [] }) => fields.map(({ path }) => path)).sort();
  assert.deepEqual(await set({ cost: { input: "0.75" }, limits: { concurrent: 3 } }), [
    "cost.input",
    "limits.concurrent",
  ]);
  assert.equal(routeOf(deps, "two/small").limits.concurrent, 3);
  assert.deepEqual(await set({ limits: null }), ["limits.concurrent"]);
  // What is sold by a markup is sold for rates, or free, instead.
  assert.deepEqual(await set({ sale: { input: "1", output: "2" } }), [
    "sale.input",
    "sale.markup",
    "sale.output",
  ]);
  assert.deepEqual(await set({ sale: { output: "3" } }), ["sale.output"]);
  assert.deepEqual(await set({ free: true }), ["sale.free", "sale.input", "sale.output"]);
  const replaced = await set({
    model: "small",
    provider: "two",
    sale: { markup: "2" },
    cost: { input: "1", output: "1" },
  }, true);
  assert.ok(replaced.includes("risk_level") && replaced.includes("supports.tools"));
});

Deno.test("a route that is replaced stays with its model, and null has its default", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await runOperation(setRoute, { deps, input: { id: "two/small", settings: { weight: 7 } } });
  const settings = { provider: "two", free: true, weight: null };
  const input = { id: "two/small", settings, replace: true };
  await runOperation(setRoute, { deps, input });
  const { modelId, weight } = routeOf(deps, "two/small");
  assert.deepEqual([modelId, weight], ["small", 1]);
});

Deno.test("what is wrong with other pieces is warned of, and stays; what a change worsens is refused", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const { catalogue } = deps.catalogue.current;
  // As after an update whose rules are stricter: nothing else stores such a thing.
  deps.catalogue.swap({
    ...catalogue,
    models: catalogue.models.map((model) => ({
      ...model,
      routes: model.routes.map((route) =>
        route.id === "two/small" ? { ...route, weight: -1 } : route
      ),
    })),
  });
  const set = (id: string, settings: object) =>
    runOperation(setRoute, { deps, input: { id, settings } });
  deps.catalogue.swap({
    ...deps.catalogue.current.catalogue,
    models: deps.catalogue.current.catalogue.models.map((model) => ({
      ...model,
      routes: model.routes.toSorted((one, other) => one.weight - other.weight),
    })),
  });
  const answer = await set("one/small", { weight: 3 });
  const order = deps.catalogue.current.catalogue.models[0]!.routes.map(({ id }) => id);
  assert.deepEqual(order, ["two/small", "one/small"]);
  assert.deepEqual(answer.changes.map(({ line }) => line.split(":")[0]), ["~ route one/small"]);
  assert.equal(routeOf(deps, "one/small").weight, 3);
  assert.equal(routeOf(deps, "two/small").weight, -1);
  const told = answer.warnings.filter((line) => line.startsWith("route two/small: weight: "));
  assert.equal(told.length, 1, answer.warnings.join("\n"));
  assert.match(told[0]!, /it was so before, and stays/);

  await assert.rejects(set("one/small", { weight: 0 }), ({ message }: GatewayError) => {
    assert.match(message, /^Nothing was changed: route one\/small has a problem\n/);
    assert.ok(!message.includes("two/small"), message);
    return true;
  });
  await assert.rejects(set("two/small", { official: true }), /Nothing was changed/);
  await assert.rejects(set("two/small", { risk_level: "high" }), /route two\/small has a problem/);
  await runOperation(setModel, {
    deps,
    input: { id: "small", settings: { aliases: ["tiny", "x"] } },
  });
  assert.equal(routeOf(deps, "two/small").weight, -1);
  await runOperation(deleteRoute, { deps, input: { id: "one/small" } });
  const { warnings } = await runOperation(setModel, {
    deps,
    input: { id: "small", settings: { aliases: ["tiny"] } },
  });
  assert.deepEqual(warnings.map((line) => line.split(": ")[0]), ["route two/small"], "it has that");
  await set("two/small", { weight: 2 });
  assert.equal(routeOf(deps, "two/small").weight, 2);
  assert.deepEqual((await set("two/small", { weight: 4 })).warnings, []);
});

Deno.test("sizes of a second take the place of those there, given again or changed", async () => {
  await using admin = await openTestAdmin();
  const { deps } = admin;
  const set = async (sale: object) => {
    const settings = { model: "film", provider: "builtin", upstream_model: "video-2", sale };
    return await runOperation(setRoute, { deps, input: { id: "b/film", settings } });
  };
  const sold = async () =>
    (await runOperation(showRoute, { deps, input: { id: "b/film" } })).settings.sale;
  await runOperation(setProvider, {
    deps,
    input: { id: "builtin", settings: { kind: "builtin" } },
  });
  await runOperation(setModel, { deps, input: { id: "film", settings: { kind: "video" } } });
  const second = { "1280x720": "0.02", "720x1280": "0.03" };
  await set({ second });
  assert.deepEqual((await set({ second })).changes, []);
  await set({ second: { "1280x720": "0.04" } });
  assert.deepEqual(await sold(), { when: [{ size: "1280x720", second: "0.04" }] });

  const fine = { size: "1280x720", quality: "high", second: "0.09" };
  await set({ when: [{ quality: "low", second: "0.01" }, fine] });
  await assert.rejects(set({ second }), /Sizes are under when already/);
  await set({ when: [{ quality: "low", second: "0.01" }] });
  await set({ second });
  await set({ second: "0.05" });
  assert.deepEqual(await sold(), {
    second: "0.05",
    when: [
      { size: "1280x720", second: "0.02" },
      { size: "720x1280", second: "0.03" },
      { quality: "low", second: "0.01" },
    ],
  });
});

Deno.test("changed prices are a new version, and unchanged ones keep theirs", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const version = (route: string) => routeOf(deps, route).prices.version;
  const before = { one: version("one/small"), two: version("two/small") };
  const set = (settings: object) =>
    runOperation(setRoute, { deps, input: { id: "one/small", settings } });
  await set({ weight: 2 });
  assert.equal(version("one/small"), before.one);
  await set({ cost: { input: "1.50" } });
  assert.notEqual(version("one/small"), before.one);
  assert.equal(version("two/small"), before.two);
});

Deno.test("a switch of the operator stays, whatever is set, and when its file is applied again", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await runOperation(disableRoute, { deps, input: { route: "one/small" } });
  await runOperation(setProvider, {
    deps,
    input: { id: "two", settings: { official: true } },
  });
  await runOperation(setRoute, { deps, input: { id: "one/small", settings: { weight: 2 } } });
  assert.equal(routeOf(deps, "one/small").enabled, false);
  await runOperation(applyCatalogue, { deps, input: { text: CATALOGUE } });
  assert.equal(routeOf(deps, "one/small").enabled, false);
  assert.equal(routeOf(deps, "one/small").weight, 1);
});

Deno.test("whoever changes another version than he has read is told, and changes nothing", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const { version } = await runOperation(showRoute, { deps, input: { id: "one/small" } });
  const set = (weight: number) =>
    runOperation(setRoute, {
      deps,
      input: { id: "one/small", settings: { weight }, if_version: version },
    });
  const [won, lost] = await Promise.allSettled([set(2), set(3)]);
  assert.equal(won.status, "fulfilled");
  assert.equal(routeOf(deps, "one/small").weight, 2);
  assert.equal(lost.status, "rejected");
  const { error, message } = lost.reason as GatewayError;
  assert.equal(error, "version_conflict");
  assert.match(message, /^Nothing was changed\. The route 'one\/small' has changed meanwhile: /);
  assert.match(message, /read it with `tollgate routes show one\/small`, and repeat the change/);
  // A model's version covers its routes; a deletion asks for it too.
  const model = await runOperation(showModel, { deps, input: { id: "tiny" } });
  await set(4).catch(() => {});
  await runOperation(setRoute, { deps, input: { id: "one/small", settings: { weight: 5 } } });
  const input = { id: "small", if_version: model.version };
  await assert.rejects(runOperation(deleteModel, { deps, input }), { error: "version_conflict" });
  const fresh = { id: "one", settings: {}, if_version: "none" };
  await assert.rejects(
    runOperation(setProvider, { deps, input: fresh }),
    /There is a provider 'one'/,
  );
  assert.ok(deps.catalogue.current.model("small"));
});

Deno.test("what it would become is checked whole, and told by its place in the piece", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const before = deps.catalogue.current.catalogue;
  const refuse = (input: object, message: RegExp) =>
    assert.rejects(runOperation(setRoute, { deps, input }), { error: "invalid_value", message });
  const change = { id: "one/small", settings: { cost: { input: 1 }, nonsense: 2 } };
  await refuse(change, /^Nothing was changed: route one\/small has 2 problems\n/);
  await refuse(change, /^route one\/small: cost\.input: /m);
  await refuse(
    { id: "one/small", settings: { provider: "none" } },
    /No provider has the id 'none'/,
  );
  await refuse({ id: "new/route", settings: { provider: "one" } }, /say which model it serves/);
  await refuse({ id: "one/small", settings: { id: "other" } }, /leave their id out/);
  await assert.rejects(
    runOperation(setModel, { deps, input: { id: "large", settings: { aliases: ["tiny"] } } }),
    /model large: aliases\[0\]: Another model or alias has this name already/,
  );
  await assert.rejects(
    runOperation(deleteProvider, { deps, input: { id: "one" } }),
    /while there are routes of it: one\/small, one\/large\. Delete those first/,
  );
  await assert.rejects(
    runOperation(deleteRoute, { deps, input: { id: "one/smal" } }),
    /did you mean 'one\/small'/,
  );
  assert.equal(deps.catalogue.current.catalogue, before);
});

Deno.test("a dry run changes nothing; a file that owns the catalogue is not written past", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE, catalogueOwner: "own.yaml" });
  const { deps } = admin;
  const input = { id: "one/small", settings: { weight: 3 }, dry_run: true };
  const dry = await runOperation(setRoute, { deps, input });
  assert.deepEqual([dry.applied, dry.changes.length], [false, 1]);
  assert.equal(routeOf(deps, "one/small").weight, 1);
  const done = { ...input, dry_run: false };
  await assert.rejects(runOperation(setRoute, { deps, input: done }), {
    error: "conflict",
    message: /own\.yaml owns them\. Edit that file and send the server SIGHUP/,
  });
});

Deno.test("values of headers are not shown, and stay when what is shown is given back", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const set = (settings: object, replace: boolean) =>
    runOperation(setProvider, { deps, input: { id: "one", settings, replace } });
  await set({ headers: { "x-team": "hush-hush" } }, false);
  for (const replace of [true, false]) {
    const shown = await runOperation(showProvider, { deps, input: { id: "one" } });
    assert.ok(!JSON.stringify(shown).includes("hush-hush"));
    await set({ ...shown.settings, official: replace }, replace);
    const { providers } = deps.catalogue.current.catalogue;
    assert.equal(providers.find(({ id }) => id === "one")?.headers["x-team"], "hush-hush");
  }
});

Deno.test("what is given as hidden stands for what is there, and for nothing else", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const settings = {
    kind: "openai_compatible",
    base_url: "https://api.example.com/v1",
    headers: { "x-team": "(hidden)" },
  };
  for (const replace of [true, false]) {
    for (const id of ["copy", "one"]) {
      await assert.rejects(runOperation(setProvider, { deps, input: { id, settings, replace } }), {
        error: "invalid_value",
        message: /'x-team' is given as \(hidden\).*there is none/,
      });
    }
  }
});

Deno.test("whoever sets a switch that somebody has switched since is told how it is", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await runOperation(disableRoute, { deps, input: { route: "one/small" } });
  const set = async (settings: object) =>
    (await runOperation(setRoute, { deps, input: { id: "one/small", settings } })).warnings;
  assert.deepEqual(await set({ weight: 2 }), []);
  assert.deepEqual(await set({ enabled: true }), [
    "Route one/small stays disabled, as it was switched since: tollgate routes enable one/small",
  ]);
  assert.equal(routeOf(deps, "one/small").enabled, false);
  await runOperation(maintainRoute, { deps, input: { route: "two/small" } });
  const input = { id: "two/small", settings: { maintenance: false } };
  assert.deepEqual((await runOperation(setRoute, { deps, input })).warnings, [
    "Route two/small stays in maintenance, as it was switched since: " +
    "tollgate routes maintenance two/small --off",
  ]);
  await runOperation(enableRoute, { deps, input: { route: "one/small" } });
  assert.deepEqual(await set({ enabled: true }), []);
});

Deno.test("null is a value among the fields of an upstream's body, and takes away all of them", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const input = { id: "one/small" };
  const set = (settings: object) => runOperation(setRoute, { deps, input: { ...input, settings } });
  await set({ set: { logprobs: null, thinking: { kind: "on", budget: null } } });
  const body = { logprobs: null, thinking: { kind: "on", budget: null } };
  assert.deepEqual(routeOf(deps, "one/small").body.set, body);
  const { settings } = await runOperation(showRoute, { deps, input });
  assert.deepEqual((await set(settings)).changes, []);
  await set({ set: { top_k: 5 } });
  assert.deepEqual(routeOf(deps, "one/small").body.set, { ...body, top_k: 5 });
  await set({ set: null });
  assert.deepEqual(routeOf(deps, "one/small").body.set, {});
});
