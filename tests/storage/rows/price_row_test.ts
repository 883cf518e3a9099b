import assert from "node:assert/strict";
import type { PriceVersion } from "../../../src/domain/price.ts";
import { samePrices } from "../../../src/domain/spell_rates.ts";
import { pricesFromRow, priceValues } from "../../../src/storage/rows/price_row.ts";
import { bySize } from "../../support/catalogue_parts.ts";

const PRICES: PriceVersion = {
  version: 3,
  routeId: "a/film",
  currency: "USD",
  cost: { ...bySize({ "1280x720": 2n, "640x360": 1n }), request: 5n },
  sale: { kind: "markup", factorE8: 110_000_000n },
};

Deno.test("prices are stored with sizes as conditions, and older rows that have an object by size are the same", () => {
  const [version, route_id, currency, cost, sale] = priceValues(PRICES, 1) as
    & [number, string, string, string, string]
    & unknown[];
  assert.equal(
    cost,
    '{"request":"5","when":[{"size":"1280x720","second":"2"},{"size":"640x360","second":"1"}]}',
  );
  for (const stored of [cost, '{"request":"5","second":{"1280x720":"2","640x360":"1"}}']) {
    const read = pricesFromRow({ version, route_id, currency, cost: stored, sale });
    assert.deepEqual(read, PRICES);
    assert.ok(samePrices(read, PRICES));
  }
});
