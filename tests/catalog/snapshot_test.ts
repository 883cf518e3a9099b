/**
 * The catalogue in memory: lookups and swaps.
 *
 * @module
 */

import assert from "node:assert/strict";
import { firstCatalogue } from "../../src/catalog/first_catalogue.ts";
import { CatalogueHolder, createSnapshot } from "../../src/catalog/snapshot.ts";
import { toCatalogue } from "../../src/catalog/to_catalogue.ts";
import { isPriced } from "../../src/domain/priced.ts";
import { EXAMPLE_FILE, readGood } from "./example_file.ts";

const example = toCatalogue(readGood(EXAMPLE_FILE).value, { nowSeconds: 7 }).catalogue;

Deno.test("createSnapshot() finds models by id and alias, routes and providers by id", () => {
  const snapshot = createSnapshot(example);
  assert.equal(snapshot.model("gpt-5-mini"), example.models[0]);
  assert.equal(snapshot.model("small"), example.models[0]);
  assert.equal(snapshot.route("builtin/video-2"), example.models[1]?.routes[0]);
  assert.equal(snapshot.provider("openai"), example.providers[0]);
  assert.equal(snapshot.isOfficial("openai"), true);
  assert.equal(snapshot.isOfficial("builtin"), false);
  assert.equal(snapshot.models, example.models);
  for (const id of ["none", "", "constructor", "__proto__", "GPT-5-mini"]) {
    assert.equal(snapshot.model(id), undefined, id);
    assert.equal(snapshot.route(id), undefined, id);
    assert.equal(snapshot.provider(id), undefined, id);
    assert.equal(snapshot.isOfficial(id), false, id);
  }
});

Deno.test("swap() replaces the state for later readers and tells listeners", () => {
  const holder = new CatalogueHolder(firstCatalogue({ nowSeconds: 1 }));
  const before = holder.current;
  const told: boolean[] = [];
  const stop = holder.subscribe((now, previous) =>
    told.push(now === holder.current && previous === before)
  );
  const after = holder.swap(example);
  assert.equal(holder.current, after);
  assert.deepEqual(told, [true]);
  assert.ok(before.model("echo-1"), "a call that began earlier keeps its state");
  assert.equal(after.model("echo-1"), undefined);
  stop();
  holder.swap(example);
  assert.equal(told.length, 1);
});

Deno.test("firstCatalogue() serves echo-1, priced, without any key", () => {
  const snapshot = createSnapshot(firstCatalogue({ nowSeconds: 9 }));
  const model = snapshot.model("echo-1");
  assert.equal(model?.createdAt, 9);
  const route = snapshot.route("builtin/echo-1");
  assert.ok(route);
  assert.ok(isPriced(route, "chat"));
  assert.equal(route.enabled, true);
  assert.deepEqual(snapshot.provider(route.providerId)?.apiKeys, []);
});
