/**
 * What is kept of a routing decision, and for which calls nothing is.
 *
 * @module
 */

import assert from "node:assert/strict";
import { MOST_DECIDED_ROUTES } from "../../src/domain/call.ts";
import { decisionOf } from "../../src/routing/decision.ts";
import { selectRoute } from "../../src/routing/select_route.ts";
import { route } from "../support/catalogue_parts.ts";
import { question, type QuestionParts } from "../support/route_question.ts";

function decide(parts: QuestionParts, taken = 0) {
  const asked = question(parts);
  const selection = selectRoute(asked);
  return decisionOf(asked, selection, selection.candidates[taken]!.route);
}

const one = route({ id: "acme/one" });
const two = route({ id: "acme/two", priority: 1 });
const off = route({ id: "acme/off", enabled: false });

Deno.test("decisionOf() has nothing to tell of the usual call", () => {
  assert.equal(decide({ routes: [one] }), undefined);
  assert.equal(decide({ routes: [one, two] }), undefined);
  assert.equal(decide({ routes: [one], wishes: { preference: "lowest_price" } }), undefined);
});

Deno.test("decisionOf() tells which routes were left out, and why", () => {
  assert.deepEqual(decide({ routes: [one, two, off] }), {
    ranked: [["acme/one", "priority 0"], ["acme/two", "priority 1"]],
    leftOut: [["acme/off", "disabled"]],
  });
});

Deno.test("decisionOf() tells since when and why an operator had switched a route off", () => {
  const since = Date.UTC(2026, 0, 1);
  const told = route({
    ...{ id: "acme/told", maintenance: true },
    switchedOff: { maintenance: { reason: "it bills twice", since } },
  });
  const silent = route({
    ...{ id: "acme/silent", enabled: false },
    switchedOff: { disabled: { reason: null, since } },
  });
  const routes = [one, told, silent, off];
  const { leftOut } = decide({ routes })!;
  assert.deepEqual(leftOut, [
    ["acme/told", "maintenance", "since 2026-01-01T00:00:00.000Z: it bills twice"],
    ["acme/silent", "disabled", "since 2026-01-01T00:00:00.000Z"],
    ["acme/off", "disabled"],
  ]);
});

Deno.test("decisionOf() tells an order that was asked for, and that another route was taken", () => {
  assert.deepEqual(decide({ routes: [one, two], wishes: { preference: "lowest_price" } }), {
    preference: "lowest_price",
    ranked: [["acme/one", "by price"], ["acme/two", "by price"]],
    leftOut: [],
  });
  assert.deepEqual(decide({ routes: [one, two] }, 1)?.ranked.map(([id]) => id), [
    "acme/one",
    "acme/two",
  ]);
});

Deno.test("decisionOf() is bounded, however many routes there are", () => {
  const many = Array.from(
    { length: 100 },
    (_, at) => route({ id: `acme/${at}`, enabled: at % 2 === 0 }),
  );
  const { ranked, leftOut } = decide({ routes: many })!;
  assert.deepEqual([ranked.length, leftOut.length], [MOST_DECIDED_ROUTES, MOST_DECIDED_ROUTES]);
});
