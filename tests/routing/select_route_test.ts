/**
 * The decision as a whole: complete and pure, over random catalogues.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Route } from "../../src/domain/catalogue.ts";
import { areAllReady } from "../../src/routing/all_ready.ts";
import { explainSelection } from "../../src/routing/explain.ts";
import { refusalFor } from "../../src/routing/refusal.ts";
import { ROUTING_PREFERENCES } from "../../src/domain/request_facts.ts";
import { selectRoute } from "../../src/routing/select_route.ts";
import { model, prices, route, saleAt, seededRandom } from "../support/catalogue_parts.ts";
import { health, question, type RouteHealthParts, waits } from "../support/route_question.ts";

/** A question over a catalogue in which everything is random. */
function randomQuestion(seed: number) {
  const random = seededRandom(seed);
  const chance = (share: number) => random() < share;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const providers = ["p", "q", "r"];
  const state: { [id: string]: RouteHealthParts } = {};
  const wait: { [id: string]: number } = {};
  const routes: Route[] = Array.from({ length: Math.floor(random() * 9) }, (_, index) => {
    const id = `route${index}`;
    if (chance(0.2)) state[id] = { coolingUntil: 10_000 + random() * 90_000 };
    if (chance(0.1)) state[id] = { circuitOpenUntil: 10_000 + random() * 30_000 };
    if (chance(0.3)) state[id] = { ...state[id], latencyMs: random() * 1_000, firstByteMs: 5 };
    if (chance(0.1)) wait[id] = Math.ceil(random() * 60);
    return route({
      id,
      providerId: pick(providers),
      riskLevel: pick(["low", "medium", "high"]),
      weight: 0.1 + random() * 5,
      enabled: chance(0.8),
      maintenance: chance(0.2),
      supports: {
        ...(chance(0.5) ? { tools: chance(0.5), vision: chance(0.5) } : {}),
        ...(chance(0.5) ? { stream: chance(0.8), contextTokens: 500 + random() * 9_000 } : {}),
      },
      prices: prices({
        routeId: id,
        sale: pick([undefined, { kind: "free" }, saleAt({ input: "1", output: "2" })]),
      }),
    });
  });
  return question({
    model: model(routes, { manualSelection: chance(0.8) }),
    wishes: {
      provider: chance(0.2) ? pick([...providers, "nobody"]) : undefined,
      route: chance(0.2) ? `route${Math.floor(random() * 10)}` : undefined,
      preference: chance(0.3) ? undefined : pick(ROUTING_PREFERENCES),
      excludeRiskLevels: chance(0.3) ? ["high"] : [],
    },
    facts: { tools: chance(0.3), vision: chance(0.2), stream: chance(0.5) },
    official: ["p"],
    health: health(state),
    capacity: waits(wait),
    random: seededRandom(seed + 1),
  });
}

Deno.test("selectRoute() puts every route into exactly one of its two lists", () => {
  for (let seed = 0; seed < 3_000; seed++) {
    const asked = randomQuestion(seed);
    const { candidates, rejected } = selectRoute(asked);
    const told = [
      ...candidates.map(({ route }) => route.id),
      ...rejected.map(({ route }) => route),
    ];
    const all = asked.model.routes.map(({ id }) => id);
    assert.deepEqual(told.toSorted(), all.toSorted(), `seed ${seed}`);
  }
});

Deno.test("refusalFor() answers every selection without candidates, with all its reasons", () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 3_000; seed++) {
    const asked = randomQuestion(seed);
    const selection = selectRoute(asked);
    if (selection.candidates.length > 0) continue;
    const refusal = refusalFor(asked, selection);
    seen.add(refusal.error);
    assert.deepEqual(refusal.routes, selection.rejected, `seed ${seed}`);
    assert.doesNotMatch(refusal.message, /undefined|NaN|Infinity/, `seed ${seed}`);
    const named = (asked.wishes.provider ?? asked.wishes.route) !== undefined;
    if (refusal.error === "no_such_route") assert.equal(named, false, `seed ${seed}`);
    if (refusal.error === "route_not_selectable") assert.equal(named, true, `seed ${seed}`);
    const passes = ["pool_limit_exceeded", "provider_unavailable", "no_route_now"];
    assert.equal(refusal.retryAfterSeconds !== undefined, passes.includes(refusal.error));
  }
  assert.deepEqual([...seen].toSorted(), [
    "no_route_now",
    "no_such_route",
    "pool_limit_exceeded",
    "provider_unavailable",
    "route_not_selectable",
  ]);
});

Deno.test("explainSelection() shows the very decision that selectRoute() makes", () => {
  for (let seed = 0; seed < 1_000; seed++) {
    const explained = explainSelection(randomQuestion(seed));
    const { candidates, rejected } = selectRoute(randomQuestion(seed));
    assert.deepEqual(
      explained.candidates.map(({ route }) => route),
      candidates.map(({ route }) => route.id),
      `seed ${seed}`,
    );
    assert.deepEqual(explained.rejected, rejected);
  }
});

Deno.test("selectRoute() changes nothing that it is given", () => {
  const routes = Object.freeze([
    route({ id: "a" }),
    route({ id: "b" }),
    route({ id: "c", enabled: false }),
  ]);
  const asked = Object.freeze(question({ routes }));
  assert.deepEqual(selectRoute(asked).rejected.map(({ route }) => route), ["c"]);
  assert.deepEqual(asked.model.routes.map(({ id }) => id), ["a", "b", "c"]);
});

Deno.test("selectRoute() marks official candidates", () => {
  const routes = [route({ id: "a", providerId: "vendor" }), route({ id: "b" })];
  const { candidates } = selectRoute(question({ routes, official: ["vendor"] }));
  const marks = candidates.map(({ route, official }) => `${route.id} ${official}`);
  assert.deepEqual(marks.toSorted(), ["a true", "b false"]);
});

Deno.test("what all routes of a model have in common gives the same selection as a look at each", () => {
  let ready = 0;
  for (let seed = 0; seed < 4_000; seed++) {
    const chance = seededRandom(seed);
    const maybe = <T>(share: number, value: T) => chance() < share ? value : undefined;
    const routes = Array.from({ length: 1 + Math.floor(chance() * 5) }, (_, index) =>
      route({
        id: `route${index}`,
        enabled: chance() < 0.97,
        maintenance: chance() < 0.03,
        supports: {
          chat: maybe(0.05, false),
          responses: maybe(0.3, true),
          stream: maybe(0.1, false),
          tools: maybe(0.1, false),
          vision: maybe(0.1, false),
          jsonSchema: maybe(0.1, false),
          contextTokens: maybe(0.2, 100 + Math.floor(chance() * 300)),
          maxOutputTokens: maybe(0.2, 50 + Math.floor(chance() * 300)),
        },
        prices: prices({
          sale: chance() < 0.03 ? undefined : saleAt({ input: "1", output: "2" }),
        }),
      }));
    const waiting: { readonly [id: string]: number } = chance() < 0.3 ? { route0: 5 } : {};
    const ask = (isShort: boolean) => {
      const random = seededRandom(seed + 1);
      const capacity = waits(waiting);
      const hasRoomOnAll = () => !("route0" in waiting);
      return question({
        model: model(routes, { kind: seed % 20 === 0 ? "embedding" : "chat" }),
        wishes: {
          provider: maybe(0, ""),
          route: seed % 17 === 0 ? "route0" : undefined,
          preference: seed % 13 === 0 ? "official_only" : undefined,
          excludeRiskLevels: seed % 11 === 0 ? ["low"] : [],
          ...(seed % 23 === 0 && { providers: { ignore: ["route0"] } }),
        },
        facts: {
          stream: seed % 2 === 0,
          tools: seed % 3 === 0,
          vision: seed % 5 === 0,
          jsonSchema: seed % 7 === 0,
          promptTokensEstimate: seed % 300,
          maxOutputTokens: seed % 4 === 0 ? seed % 250 : undefined,
          ...(seed % 19 === 0 && { serverTools: ["web_search"] }),
          ...(seed % 29 === 0 && { ownOnly: { dialect: "anthropic", what: "'container'" } }),
        },
        isNative: ({ id }) => id === "route1",
        unserved: seed % 31 === 0
          ? new Map([["route0", { reason: "endpoint_not_supported" as const }]])
          : new Map(),
        health: isShort ? { ...health({}), isCalmOn: () => true } : health({}),
        capacity: isShort ? { ...capacity, hasRoomOnAll } : capacity,
        random,
      });
    };
    const quick = ask(true);
    if (areAllReady(quick)) ready++;
    assert.deepEqual(selectRoute(quick), selectRoute(ask(false)), `seed ${seed}`);
  }
  assert.ok(ready > 400, `${ready} of them need no look at each`);
});
