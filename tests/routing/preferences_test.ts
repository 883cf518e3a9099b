/**
 * The order of candidates under each preference.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Route } from "../../src/domain/catalogue.ts";
import { likelyBought, likelyPrice } from "../../src/pricing/quote.ts";
import { LATENCY_EXPLORING_SHARE } from "../../src/routing/preferences.ts";
import type { RouteQuestion } from "../../src/routing/route_request.ts";
import { selectRoute } from "../../src/routing/select_route.ts";
import { prices, route, saleAt, seededRandom } from "../support/catalogue_parts.ts";
import { health, question } from "../support/route_question.ts";

function sold(id: string, rate: string, parts: Partial<Route> = {}): Route {
  const sale = saleAt({ input: rate, output: rate });
  return route({ id, prices: prices({ routeId: id, sale }), ...parts });
}

function free(id: string, parts: Partial<Route> = {}): Route {
  return route({ id, prices: prices({ routeId: id, sale: { kind: "free" } }), ...parts });
}

function order(asked: RouteQuestion): string[] {
  return selectRoute(asked).candidates.map(({ route }) => route.id);
}

/** How often each route comes first in `rounds` draws, as a share. */
function firstShares(asked: RouteQuestion, rounds = 20_000): { [id: string]: number } {
  const shares: { [id: string]: number } = {};
  for (const { id } of asked.model.routes) shares[id] = 0;
  for (let round = 0; round < rounds; round++) shares[order(asked)[0]!]! += 1 / rounds;
  return shares;
}

function near(actual: number | undefined, expected: number): void {
  assert.ok(Math.abs(actual! - expected) < 0.015, `${actual} is not about ${expected}`);
}

Deno.test("lowest_price goes by the quote for this very request", () => {
  const chatty = route({
    id: "chatty",
    prices: prices({ sale: saleAt({ input: "10", output: "1" }) }),
  });
  const terse = route({
    id: "terse",
    prices: prices({ sale: saleAt({ input: "1", output: "10" }) }),
  });
  const flat = route({
    id: "flat",
    prices: prices({ sale: saleAt({ input: "0", output: "0", request: "0.006" }) }),
  });
  const routes = [chatty, terse, flat];
  const wishes = { preference: "lowest_price" } as const;
  const longAnswer = { promptTokensEstimate: 100, maxOutputTokens: 10_000 };
  assert.deepEqual(order(question({ routes, wishes, facts: longAnswer })), [
    "flat",
    "chatty",
    "terse",
  ]);
  const longPrompt = { promptTokensEstimate: 10_000, maxOutputTokens: 10 };
  assert.deepEqual(order(question({ routes, wishes, facts: longPrompt })), [
    "flat",
    "terse",
    "chatty",
  ]);
  const tiny = { promptTokensEstimate: 10, maxOutputTokens: 10 };
  assert.equal(order(question({ routes, wishes, facts: tiny })).at(-1), "flat");
});

Deno.test("lowest_price settles equal quotes by reliability, then by lot", () => {
  const routes = [sold("a", "1"), sold("b", "1"), sold("c", "1")];
  const wishes = { preference: "lowest_price" } as const;
  const shaky = health({ b: { successRate: 0.5 } });
  const shares = firstShares(question({ routes, wishes, health: shaky }));
  near(shares.a, 0.5);
  near(shares.c, 0.5);
  assert.equal(shares.b, 0);
});

Deno.test("highest_reliability goes by success rate, then by price", () => {
  const routes = [sold("a", "1"), sold("b", "3"), sold("c", "2"), sold("d", "0.1")];
  const view = health({
    a: { successRate: 0.9 },
    b: { successRate: 0.99 },
    c: { successRate: 0.99 },
    d: { successRate: 0.2 },
  });
  const wishes = { preference: "highest_reliability" } as const;
  assert.deepEqual(order(question({ routes, wishes, health: view })), ["c", "b", "a", "d"]);
});

Deno.test("lowest_latency goes by the first byte for streams and by the total otherwise", () => {
  const routes = [sold("a", "1"), sold("b", "1")];
  const view = health({
    a: { latencyMs: 900, firstByteMs: 100 },
    b: { latencyMs: 500, firstByteMs: 300 },
  });
  const wishes = { preference: "lowest_latency" } as const;
  const asked = { routes, wishes, health: view };
  assert.deepEqual(order(question({ ...asked, facts: { stream: true } })), ["a", "b"]);
  assert.deepEqual(order(question({ ...asked, facts: { stream: false } })), ["b", "a"]);
});

Deno.test("lowest_latency tries an unmeasured route first in a tenth of the requests", () => {
  const routes = [sold("slow", "1"), sold("fast", "1"), sold("new", "1")];
  const view = health({ slow: { latencyMs: 900 }, fast: { latencyMs: 100 } });
  const asked = question({
    routes,
    wishes: { preference: "lowest_latency" },
    health: view,
    random: seededRandom(5),
  });
  const shares = firstShares(asked);
  near(shares.new, LATENCY_EXPLORING_SHARE);
  near(shares.fast, 1 - LATENCY_EXPLORING_SHARE);
  assert.equal(shares.slow, 0);
  // Otherwise it is tried after those that are known.
  assert.deepEqual(order({ ...asked, random: () => 0.99 }), ["fast", "slow", "new"]);
});

Deno.test("highest_throughput has the fastest writer first, whatever its first byte takes", () => {
  const routes = [sold("slow", "1"), sold("fast", "1"), sold("new", "1")];
  const view = health({
    slow: { tokensPerSecond: 20, firstByteMs: 10, latencyMs: 10 },
    fast: { tokensPerSecond: 90, firstByteMs: 900, latencyMs: 900 },
  });
  const wishes = { preference: "highest_throughput" } as const;
  for (const stream of [true, false]) {
    const asked = { ...question({ routes, wishes, health: view, facts: { stream } }) };
    assert.deepEqual(order({ ...asked, random: () => 0.99 }), ["fast", "slow", "new"]);
  }
  const shares = firstShares(question({ routes, wishes, health: view, random: seededRandom(5) }));
  near(shares.new, LATENCY_EXPLORING_SHARE);
});

Deno.test("lowest_latency keeps the only route, however slow", () => {
  const view = health({ a: { latencyMs: 600_000, successRate: 0.01 } });
  const wishes = { preference: "lowest_latency" } as const;
  assert.deepEqual(order(question({ routes: [sold("a", "1")], wishes, health: view })), ["a"]);
});

Deno.test("the default order weighs by weight and 1/price²", () => {
  // Weights 1, 1/4 and 4/4.
  const routes = [sold("a", "1"), sold("b", "2"), sold("c", "2", { weight: 4 })];
  const shares = firstShares(question({ routes, random: seededRandom(7) }));
  near(shares.a, 1 / 2.25);
  near(shares.b, 0.25 / 2.25);
  near(shares.c, 1 / 2.25);
});

Deno.test("the default order weighs the same by quotes and by plain numbers", () => {
  const routes = [sold("a", "1.1"), sold("b", "2.3"), sold("c", "0.9", { weight: 0.5 })];
  for (let seed = 0; seed < 500; seed++) {
    const byQuote = question({ routes, random: seededRandom(seed) });
    const byNumber: RouteQuestion = {
      ...byQuote,
      random: seededRandom(seed),
      weighPrice: (one) => likelyPrice(one.prices, likelyBought(byQuote.facts)),
      quote: () => assert.fail("a quote was asked for"),
    };
    assert.deepEqual(order(byNumber), order(byQuote), `seed ${seed}`);
  }
});

Deno.test("the default order draws the fallbacks by weight too", () => {
  const routes = [sold("a", "0.01"), sold("b", "1"), sold("c", "1", { weight: 3 })];
  const asked = question({ routes, random: seededRandom(9) });
  let rounds = 0;
  let cBeforeB = 0;
  for (let round = 0; round < 20_000; round++) {
    const [first, second] = order(asked);
    if (first !== "a") continue;
    rounds++;
    if (second === "c") cBeforeB++;
  }
  assert.ok(rounds > 19_900);
  near(cBeforeB / rounds, 0.75);
});

Deno.test("the default order has free routes first, evenly whatever their weights", () => {
  const routes = [sold("paid", "0.001"), free("a"), free("b", { weight: 100 })];
  const asked = question({ routes, random: seededRandom(3) });
  const shares = firstShares(asked);
  near(shares.a, 0.5);
  near(shares.b, 0.5);
  assert.equal(shares.paid, 0);
  assert.equal(order(asked).at(-1), "paid");
  // Sold for "0", or for what rounds to it, is free as well, by quotes and by numbers.
  const zeros = question({
    routes: [sold("paid", "1"), sold("zero", "0"), sold("tiny", "0.00000001")],
    random: seededRandom(4),
  });
  const weighed = {
    ...zeros,
    weighPrice: ({ prices }: Route) => likelyPrice(prices, likelyBought(zeros.facts)),
  };
  for (const asked of [zeros, weighed]) {
    const zeroShares = firstShares(asked);
    near(zeroShares.zero, 0.5);
    near(zeroShares.tiny, 0.5);
    assert.equal(zeroShares.paid, 0);
  }
});

Deno.test("the default order has a smaller priority first, whatever is free, cheap or healthy", () => {
  const routes = [
    free("spare", { priority: 1000 }),
    sold("dear", "100", { priority: 1 }),
    sold("shaky", "1", { priority: 1 }),
    sold("first", "5"),
  ];
  const view = health({ first: { successRate: 0.2 }, shaky: { successRate: 0.6 } });
  for (let seed = 0; seed < 200; seed++) {
    const asked = question({ routes, health: view, random: seededRandom(seed) });
    assert.deepEqual(order(asked), ["first", "dear", "shaky", "spare"]);
  }
});

Deno.test("equal priorities are drawn by weight and price", () => {
  const routes = [
    sold("a", "1", { priority: 3 }),
    sold("b", "1", { priority: 3, weight: 3 }),
    sold("c", "0.01", { priority: 4 }),
  ];
  const shares = firstShares(question({ routes, random: seededRandom(11) }));
  near(shares.a, 0.25);
  near(shares.b, 0.75);
  assert.equal(shares.c, 0);
});

Deno.test("a caller's preference comes before priorities, which decide between equals", () => {
  const routes = [
    sold("dear", "2"),
    sold("late", "1", { priority: 2 }),
    sold("soon", "1", { priority: 1 }),
  ];
  for (let seed = 0; seed < 50; seed++) {
    const wishes = { preference: "lowest_price" } as const;
    assert.deepEqual(order(question({ routes, wishes, random: seededRandom(seed) })), [
      "soon",
      "late",
      "dear",
    ]);
  }
});

Deno.test("the default order tries shaky routes after all healthy ones", () => {
  const routes = [free("shakyFree"), sold("shaky", "0.01"), free("free"), sold("dear", "100")];
  const view = health({ shaky: { successRate: 0.6 }, shakyFree: { successRate: 0.74 } });
  for (let seed = 0; seed < 200; seed++) {
    const asked = question({ routes, health: view, random: seededRandom(seed) });
    assert.deepEqual(order(asked), ["free", "dear", "shakyFree", "shaky"]);
  }
});

Deno.test("official_only leaves official routes, in the default order", () => {
  const routes = [
    sold("a", "1", { providerId: "vendor" }),
    sold("b", "1", { providerId: "vendor" }),
    sold("c", "0.1", { providerId: "reseller" }),
  ];
  const asked = question({
    routes,
    wishes: { preference: "official_only" },
    official: ["vendor"],
    random: seededRandom(2),
  });
  const shares = firstShares(asked);
  near(shares.a, 0.5);
  near(shares.b, 0.5);
  assert.deepEqual(selectRoute(asked).rejected.map(({ route, reason }) => [route, reason]), [
    ["c", "not_official"],
  ]);
});

Deno.test("an exact route is the only candidate, under every preference", () => {
  const routes = [sold("a", "1"), sold("b", "0.1"), free("c")];
  const preferences = [
    undefined,
    "lowest_price",
    "highest_reliability",
    "lowest_latency",
    "highest_throughput",
    "official_only",
  ] as const;
  for (const preference of preferences) {
    const wishes = { route: "a", preference };
    assert.deepEqual(order(question({ routes, wishes, official: ["acme"] })), ["a"]);
  }
});

Deno.test("many routes are ordered like few", () => {
  const routes = Array.from(
    { length: 150 },
    (_, index) => index < 75 ? sold(`paid${index}`, "1") : free(`free${index}`),
  );
  const ids = order(question({ routes }));
  assert.equal(new Set(ids).size, 150);
  assert.ok(ids.slice(0, 75).every((id) => id.startsWith("free")));
});
