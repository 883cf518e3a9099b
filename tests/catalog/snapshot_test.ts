/**
 * The catalogue in memory: lookups and swaps.
 *
 * @module
 */

import assert from "node:assert/strict";
import { firstCatalogue } from "../../src/catalog/first_catalogue.ts";
import { CatalogueHolder, createSnapshot } from "../../src/catalog/snapshot.ts";
import { toCatalogue } from "../../src/catalog/to_catalogue.ts";
import { toFile } from "../support/catalogue_file.ts";
import { isPriced } from "../../src/domain/rates_for.ts";
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

Deno.test("firstCatalogue() serves its models, priced, without any key", () => {
  const snapshot = createSnapshot(firstCatalogue({ nowSeconds: 9 }));
  for (const [id, kind] of [["echo-1", "chat"], ["video-2", "video"]] as const) {
    const model = snapshot.model(id);
    assert.equal(model?.createdAt, 9);
    assert.equal(model.kind, kind);
    const route = snapshot.route(`builtin/${id}`);
    assert.ok(route);
    assert.equal(route.modelId, id);
    assert.ok(isPriced(route, kind));
    assert.equal(route.enabled, true);
    assert.deepEqual(snapshot.provider(route.providerId)?.apiKeys, []);
  }
  assert.equal(snapshot.model("sora-2"), snapshot.model("video-2"));
  assert.equal(snapshot.route("builtin/video-2")?.video?.sizes[0], "720x1280");
  assert.equal(snapshot.route("builtin/video-2")?.video?.seconds[0], 4);
});

Deno.test("firstCatalogue() is what a file of the same words says", () => {
  const first = firstCatalogue({ nowSeconds: 9 });
  const read = readGood(JSON.stringify(toFile(first)));
  assert.deepEqual(read.warnings, []);
  assert.deepEqual(toCatalogue(read.value, { nowSeconds: 9 }).catalogue, first);
});
