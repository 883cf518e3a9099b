/**
 * What `routes explain` shows.
 *
 * @module
 */

import assert from "node:assert/strict";
import { explainSelection } from "../../src/routing/explain.ts";
import { prices, route, saleAt } from "../support/catalogue_parts.ts";
import { health, question } from "../support/route_question.ts";

Deno.test("explainSelection() gives the figures that decided and every other route's reason", () => {
  const routes = [
    route({ id: "a", providerId: "vendor", weight: 2 }),
    route({ id: "b", enabled: false }),
    route({ id: "c", supports: { contextTokens: 100 } }),
  ];
  const view = health({ a: { successRate: 0.987654, latencyMs: 123.6, tokensPerSecond: 50.6 } });
  const explained = explainSelection(question({ routes, health: view, official: ["vendor"] }));
  assert.deepEqual(explained, {
    model: "one",
    routing_preference: null,
    candidates: [{
      route: "a",
      provider: "vendor",
      official: true,
      risk_level: "low",
      priority: 0,
      weight: 2,
      place: "the only one",
      // 1,000 tokens at 1.5 and 512 at 3 per million.
      price: { currency: "USD", quote: "0.00303600" },
      success_rate: 0.9877,
      latency_ms: 124,
      tokens_per_second: 51,
      first_chance: 1,
      sticky: false,
      last_resort: false,
    }],
    rejected: [
      { route: "b", provider: "acme", reason: "disabled" },
      {
        route: "c",
        provider: "acme",
        reason: "context_too_long",
        detail: "context 100 tokens, request needs 1000",
      },
    ],
  });
  assert.deepEqual(JSON.parse(JSON.stringify(explained)), explained);
});

Deno.test("explainSelection() tells the chances of the default order, and only there", () => {
  const priced = (id: string, rate: string) =>
    route({ id, prices: prices({ sale: saleAt({ input: rate, output: rate }) }) });
  const routes = [priced("a", "1"), priced("b", "2")];
  const chances = (preference?: "lowest_price" | "official_only") =>
    Object.fromEntries(
      explainSelection(question({ routes, wishes: { preference }, official: ["acme"] }))
        .candidates.map(({ route, first_chance }) => [route, first_chance]),
    );
  assert.deepEqual(chances(), { a: 0.8, b: 0.2 });
  assert.deepEqual(chances("official_only"), { a: 0.8, b: 0.2 });
  assert.deepEqual(chances("lowest_price"), { a: null, b: null });
  const shaky = health({ a: { successRate: 0.5 } });
  const behind = explainSelection(question({ routes, health: shaky }));
  assert.deepEqual(behind.candidates.map(({ route, first_chance }) => [route, first_chance]), [
    ["b", 1],
    ["a", 0],
  ]);
  assert.deepEqual(behind.candidates.map(({ place }) => place), [
    "healthy, drawn by weight and price",
    "fails of late, drawn by weight and price",
  ]);
  const withFree = [...routes, route({ id: "f", prices: prices({ sale: { kind: "free" } }) })];
  const explained = explainSelection(question({ routes: withFree }));
  assert.equal(explained.candidates[0]!.route, "f");
  assert.equal(explained.candidates[0]!.price.quote, "0.00000000");
  assert.deepEqual(explained.candidates.map(({ first_chance }) => first_chance), [1, 0, 0]);
});

Deno.test("explainSelection() says of each candidate what brings it to its place", () => {
  const routes = [
    route({ id: "far", priority: 2 }),
    route({ id: "near", priority: 1 }),
    route({ id: "given", priority: 1, prices: prices({ sale: { kind: "free" } }) }),
  ];
  const places = (preference?: "lowest_price") =>
    explainSelection(question({ routes, wishes: { preference } }))
      .candidates.map(({ route, priority, place }) => [route, priority, place]);
  assert.deepEqual(places(), [
    ["given", 1, "priority 1, free, drawn by weight and price"],
    ["near", 1, "priority 1, paid, drawn by weight and price"],
    ["far", 2, "priority 2"],
  ]);
  const asked = { routes, wishes: { providers: { order: ["far"] } } };
  const { candidates: [first] } = explainSelection(question(asked));
  assert.deepEqual([first!.route, first!.place], [
    "far",
    "number 1 of the order that was asked for",
  ]);
  assert.deepEqual(places("lowest_price").map(([, , place]) => place), Array(3).fill("by price"));
});
