/**
 * The storage suite's part about the catalogue, its price versions and switches.
 *
 * @module
 */

import { bySize } from "../support/catalogue_parts.ts";
import assert from "node:assert/strict";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  commitOne,
  NOON_ISH,
  sampleCatalogue,
  samplePrices,
  sampleRoute,
  words,
} from "./storage_samples.ts";

/** Registers the tests about the catalogue, its price versions and switches. */
export function testCatalogue(test: StorageTest): void {
  test("a catalogue's revision is kept with it", async (storage) => {
    for (const revision of [3, 12]) {
      const catalogue = { ...sampleCatalogue(), revision };
      await commitOne(storage, { kind: "write_catalogue", catalogue, at: NOON_ISH });
      assert.equal((await storage.catalogue.load())!.revision, revision);
    }
  });

  test("write_catalogue gives a version to every difference in prices", async (storage) => {
    const write = async (prices: Parameters<typeof samplePrices>[0]) => {
      const catalogue = sampleCatalogue([sampleRoute({ prices: samplePrices(prices) })]);
      const result = await commitOne(storage, { kind: "write_catalogue", catalogue, at: NOON_ISH });
      assert.equal(result.ok, true);
      const stored = await storage.catalogue.load();
      assert.deepEqual(stored, result.ok ? result.catalogue : undefined);
      const version = stored!.models[0]!.routes[0]!.prices.version;
      assert.deepEqual(
        stored,
        sampleCatalogue([sampleRoute({ prices: samplePrices({ ...prices, version }) })]),
      );
      return version;
    };
    const sized = bySize({ "1280x720": 9_007_199_254_740_993n, "640x360": 2n });
    assert.equal(await write({}), 1);
    assert.equal(await write({}), 1);
    assert.equal(await write({ version: 77 }), 1);
    assert.equal(await write({ sale: undefined }), 2);
    assert.equal(await write({ sale: { kind: "free" }, cost: undefined }), 3);
    assert.equal(await write({ sale: { kind: "rates", rates: sized } }), 4);
    assert.equal(await write({ sale: { kind: "rates", rates: { second: 5n, request: 0n } } }), 5);
    assert.equal(await write({}), 6);
    assert.deepEqual(await storage.catalogue.priceVersions([4, 1, 99, 4]), [
      samplePrices({ version: 1 }),
      samplePrices({ version: 4, sale: { kind: "rates", rates: sized } }),
    ]);
  });

  test("write_catalogue replaces everything or nothing", async (storage) => {
    const two = sampleCatalogue([sampleRoute(), sampleRoute({ id: "b/small" })]);
    await commitOne(storage, { kind: "write_catalogue", catalogue: two, at: NOON_ISH });
    const twice = sampleCatalogue([sampleRoute(), sampleRoute()]);
    const homeless = sampleCatalogue([sampleRoute({ providerId: "nobody" })]);
    assert.deepEqual(
      words(
        await storage.commitBatch([
          { kind: "write_catalogue", catalogue: twice, at: NOON_ISH },
          { kind: "write_catalogue", catalogue: homeless, at: NOON_ISH },
        ]),
      ),
      ["conflict", "missing"],
    );
    assert.deepEqual(
      (await storage.catalogue.load())!.models[0]!.routes.map(({ id }) => id),
      ["openai/small", "b/small"],
    );
    const none = { ...sampleCatalogue([]), currency: "EUR" };
    await commitOne(storage, { kind: "write_catalogue", catalogue: none, at: NOON_ISH });
    assert.deepEqual(await storage.catalogue.load(), none);
  });

  test("switch_route outlives a catalogue that says what it said before", async (storage) => {
    const write = (changes: Parameters<typeof sampleRoute>[0]) =>
      commitOne(storage, {
        kind: "write_catalogue",
        catalogue: sampleCatalogue([sampleRoute(changes)]),
        at: NOON_ISH,
      });
    const switches = async () => {
      const { enabled, maintenance, switchedOff } = (await storage.catalogue.load())!.models[0]!
        .routes[0]!;
      return { enabled, maintenance, ...(switchedOff && { switchedOff }) };
    };
    await write({});
    const entry: Entry = {
      kind: "switch_route",
      routeId: "openai/small",
      enabled: false,
      maintenance: true,
      switchedOff: {
        disabled: { reason: "bills twice \0", since: NOON_ISH },
        maintenance: { reason: null, since: NOON_ISH },
      },
    };
    const { kind: _kind, routeId: _route, ...asSwitched } = entry;
    assert.deepEqual(words([await commitOne(storage, entry)]), ["ok"]);
    assert.deepEqual(await switches(), asSwitched);
    // What a catalogue to write says of reasons is nothing: they are the operators'.
    const others = { disabled: { reason: "another", since: 1 } };
    const result = await write({ weight: 9, switchedOff: others });
    assert.deepEqual(await switches(), asSwitched);
    assert.equal(result.ok && result.catalogue!.models[0]!.routes[0]!.enabled, false);
    await write({ enabled: false });
    await write({ enabled: true });
    assert.deepEqual(await switches(), {
      enabled: true,
      maintenance: true,
      switchedOff: { maintenance: { reason: null, since: NOON_ISH } },
    });
  });
}
