/**
 * Prices are compared by value.
 *
 * @module
 */

import { bySize } from "../support/catalogue_parts.ts";
import assert from "node:assert/strict";
import type { PriceVersion } from "../../src/domain/price.ts";
import { samePrices } from "../../src/domain/spell_rates.ts";

const BASE: PriceVersion = {
  version: 1,
  routeId: "r",
  currency: "USD",
  cost: { input: 1n, ...bySize({ "640x360": 5n }) },
  sale: { kind: "rates", rates: { output: 2n } },
};

Deno.test("samePrices() ignores versions, order and rates written as undefined", () => {
  assert.ok(samePrices(BASE, { ...BASE, version: 9 }));
  assert.ok(
    samePrices(BASE, {
      ...BASE,
      cost: { ...bySize({ "640x360": 5n }), image: undefined, input: 1n },
    }),
  );
  const free: PriceVersion = { ...BASE, sale: { kind: "free" }, cost: undefined };
  assert.ok(samePrices(free, structuredClone(free)));
});

Deno.test("samePrices() sees every difference", () => {
  const names = ["input", "cachedInput", "cacheWrite", "output", "reasoning", "request", "image"];
  const others: PriceVersion[] = [
    ...names.flatMap((name) => [
      { ...BASE, cost: { ...BASE.cost, [name]: 0n } },
      { ...BASE, sale: { kind: "rates" as const, rates: { output: 2n, [name]: 7n } } },
    ]),
    { ...BASE, routeId: "s" },
    { ...BASE, currency: "EUR" },
    { ...BASE, cost: undefined },
    { ...BASE, sale: undefined },
    { ...BASE, sale: { kind: "free" } },
    { ...BASE, sale: { kind: "markup", factorE8: 2n } },
    { ...BASE, cost: { input: 1n, second: 5n } },
    { ...BASE, cost: { input: 1n } },
    { ...BASE, cost: { input: 1n, ...bySize({ "640x360": 6n }) } },
    { ...BASE, cost: { input: 1n, ...bySize({ "640x360": 5n, "1280x720": 5n }) } },
    { ...BASE, cost: { input: 1n, ...bySize({ "1280x720": 5n }) } },
  ];
  for (const other of others) {
    assert.equal(samePrices(BASE, other), false);
    assert.equal(samePrices(other, BASE), false);
  }
  const markup = (factorE8: bigint): PriceVersion => ({
    ...BASE,
    sale: { kind: "markup", factorE8 },
  });
  assert.ok(samePrices(markup(3n), markup(3n)));
  assert.equal(samePrices(markup(3n), markup(4n)), false);
});
