/**
 * Which error a caller gets when no route is left.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Route } from "../../src/domain/catalogue.ts";
import { ERROR_TABLE, type RouteReason, type RouteRefusal } from "../../src/errors.ts";
import { refusalFor, type RoutingRefusal } from "../../src/routing/refusal.ts";
import { selectRoute } from "../../src/routing/select_route.ts";
import { model, prices, route } from "../support/catalogue_parts.ts";
import { health, question, type QuestionParts, waits } from "../support/route_question.ts";

function refuse(parts: QuestionParts): RoutingRefusal {
  const asked = question(parts);
  const selection = selectRoute(asked);
  assert.deepEqual(selection.candidates, []);
  return refusalFor(asked, selection);
}

function summary({ error, param, retryAfterSeconds }: RoutingRefusal): unknown[] {
  return [ERROR_TABLE[error].status, error, param, retryAfterSeconds];
}

const A = route({ id: "a", providerId: "p" });
const B = route({ id: "b", providerId: "q" });
const off = (one: Route): Route => ({ ...one, enabled: false });
const maintained = (one: Route): Route => ({ ...one, maintenance: true });

Deno.test("refusalFor() answers 400 naming the field when a named source does not exist", () => {
  const unknownRoute = refuse({ routes: [A, B], wishes: { route: "nope" } });
  assert.deepEqual(summary(unknownRoute), [400, "route_not_selectable", "route", undefined]);
  assert.equal(unknownRoute.message, "Model 'one' has no route 'nope': choose 'a', 'b'");
  const unknownProvider = refuse({ routes: [A, B], wishes: { provider: "nope" } });
  assert.deepEqual(summary(unknownProvider), [400, "route_not_selectable", "provider", undefined]);
  assert.match(unknownProvider.message, /choose 'p', 'q'$/);
  const both = refuse({ routes: [A, B], wishes: { provider: "nope", route: "a" } });
  assert.equal(both.param, "provider");
  const none = refuse({ routes: [], wishes: { provider: "p" } });
  assert.deepEqual(summary(none), [400, "route_not_selectable", "provider", undefined]);
});

Deno.test("refusalFor() lists at most five names of what could be named instead", () => {
  const routes = Array.from({ length: 8 }, (_, index) => route({ id: `r${index}` }));
  const { message } = refuse({ routes, wishes: { route: "nope" } });
  assert.match(message, /choose one of 'r0', 'r1', 'r2', 'r3', 'r4' and 3 more$/);
});

Deno.test("refusalFor() answers 400 when provider and route contradict each other", () => {
  const refusal = refuse({ routes: [A, B], wishes: { provider: "p", route: "b" } });
  assert.deepEqual(summary(refusal), [400, "route_not_selectable", "route", undefined]);
  assert.match(refusal.message, /^Route 'b' is not of provider 'p' but of 'q'/);
  assert.deepEqual(refusal.routes.map(({ route, reason }) => [route, reason]), [
    ["a", "route_not_requested"],
    ["b", "provider_not_requested"],
  ]);
});

Deno.test("refusalFor() answers 400 when the model forbids naming a source", () => {
  const fixed = model([A, B], { manualSelection: false });
  const byRoute = refuse({ model: fixed, wishes: { route: "a" } });
  assert.deepEqual(summary(byRoute), [400, "route_not_selectable", "route", undefined]);
  assert.match(byRoute.message, /leave out 'provider' and 'route'$/);
  const byProvider = refuse({ model: fixed, wishes: { provider: "p" } });
  assert.deepEqual(summary(byProvider), [400, "route_not_selectable", "provider", undefined]);
  // Even where the sources are switched off: the request could never be served.
  const asleep = model([off(A)], { manualSelection: false });
  assert.equal(refuse({ model: asleep, wishes: { route: "a" } }).error, "route_not_selectable");
});

Deno.test("refusalFor() answers 400 when a named source cannot serve the request", () => {
  const small = { ...A, supports: { contextTokens: 100 } };
  const named = refuse({ routes: [small, B], wishes: { route: "a" } });
  assert.deepEqual(summary(named), [400, "route_not_selectable", "route", undefined]);
  assert.equal(
    named.message,
    "Route 'a' cannot serve this request: the request does not fit its context " +
      "(context 100 tokens, request needs 1000); shorten the prompt or lower the requested output",
  );
  const provider = refuse({ routes: [small, B], wishes: { provider: "p" } });
  assert.deepEqual(summary(provider), [400, "route_not_selectable", "provider", undefined]);
  const official = refuse({ routes: [A], wishes: { provider: "p", preference: "official_only" } });
  assert.equal(official.error, "route_not_selectable");
});

Deno.test("refusalFor() answers 404 with the constraint's field when none was named", () => {
  const cases: readonly (readonly [Partial<Route>, QuestionParts, string | undefined])[] = [
    [{}, { wishes: { preference: "official_only" } }, "routing_preference"],
    [{}, { wishes: { excludeRiskLevels: ["low"] } }, "source_policy"],
    [{}, { facts: { capability: "embeddings" } }, "model"],
    [{ supports: { stream: false } }, { facts: { stream: true } }, "stream"],
    [{ supports: { tools: false } }, { facts: { tools: true } }, "tools"],
    [{ supports: { vision: false } }, { facts: { vision: true } }, "messages"],
    [{ supports: { jsonSchema: false } }, { facts: { jsonSchema: true } }, "response_format"],
    [{ supports: { contextTokens: 10 } }, {}, "messages"],
    [{ supports: { contextTokens: 10 } }, { facts: { capability: "responses" } }, "input"],
    [{ supports: { maxOutputTokens: 10 } }, { facts: { maxOutputTokens: 11 } }, "max_tokens"],
    [{ prices: prices({ sale: undefined }) }, {}, undefined],
  ];
  for (const [parts, asked, param] of cases) {
    const refusal = refuse({ routes: [{ ...A, ...parts }], ...asked });
    assert.deepEqual(summary(refusal), [404, "no_such_route", param, undefined]);
    assert.match(refusal.message, /^No route of model 'one' can serve this request: .+; .+/);
  }
  assert.deepEqual(summary(refuse({ routes: [] })), [404, "no_such_route", "model", undefined]);
});

Deno.test("refusalFor() speaks of the constraint that the furthest route met", () => {
  const risky: Route = { ...A, riskLevel: "high" };
  const small: Route = { ...B, supports: { contextTokens: 10 } };
  const wishes = { excludeRiskLevels: ["high"] } as const;
  for (const routes of [[risky, small], [small, risky]]) {
    const refusal = refuse({ routes, wishes });
    assert.deepEqual(summary(refusal), [404, "no_such_route", "messages", undefined]);
  }
});

Deno.test("refusalFor() answers 503 no_route_now when what is left is switched off", () => {
  const risky: Route = { ...B, riskLevel: "high" };
  const wishes = { excludeRiskLevels: ["high"] } as const;
  for (const routes of [[off(A)], [maintained(A)], [off(A), maintained(B)], [risky, off(A)]]) {
    const refusal = refuse({ routes, wishes });
    assert.deepEqual(summary(refusal), [503, "no_route_now", undefined, 30]);
  }
  // Naming a route that is only switched off is no mistake of the caller.
  assert.equal(refuse({ routes: [off(A), B], wishes: { route: "a" } }).error, "no_route_now");
});

Deno.test("refusalFor() does not call a constraint temporary because its route is off", () => {
  const asked = { routes: [off(A)], wishes: { preference: "official_only" } } as const;
  assert.equal(refuse(asked).error, "no_such_route");
});

Deno.test("refusalFor() answers 429 with the soonest room when all are at capacity", () => {
  const refusal = refuse({ routes: [A, B, off(A)], capacity: waits({ a: 40, b: 7 }) });
  assert.deepEqual(summary(refusal), [429, "pool_limit_exceeded", undefined, 7]);
  assert.match(refusal.message, /retry in 7 s$/);
  // Words that clients take for a reason to give up.
  assert.doesNotMatch(refusal.message, /billing|credit balance|quota exhausted|insufficient quota/);
});

Deno.test("refusalFor() answers 503 provider_unavailable with the soonest end of cooling", () => {
  const view = health({ a: { coolingUntil: 40_000 }, b: { circuitOpenUntil: 15_200 } });
  const refusal = refuse({ routes: [A, B], health: view });
  assert.deepEqual(summary(refusal), [503, "provider_unavailable", undefined, 6]);
  const named = refuse({ routes: [A, B], health: view, wishes: { route: "a" } });
  assert.deepEqual(summary(named), [503, "provider_unavailable", undefined, 30]);
});

Deno.test("refusalFor() lets the route that comes back first decide a mixture", () => {
  const cooling = health({ a: { coolingUntil: 20_000 } });
  const soonRoom = refuse({ routes: [A, B], health: cooling, capacity: waits({ b: 3 }) });
  assert.deepEqual(summary(soonRoom), [429, "pool_limit_exceeded", undefined, 3]);
  const lateRoom = refuse({ routes: [A, B], health: cooling, capacity: waits({ b: 30 }) });
  assert.deepEqual(summary(lateRoom), [503, "provider_unavailable", undefined, 10]);
  const tie = refuse({ routes: [A, B], health: cooling, capacity: waits({ b: 10 }) });
  assert.equal(tie.error, "provider_unavailable");
  // Routes that are off or that constraints rule out change nothing.
  const C = route({ id: "c", maintenance: true });
  const D = route({ id: "d", supports: { contextTokens: 1 } });
  const mixed = refuse({ routes: [C, D, A], health: cooling });
  assert.deepEqual(summary(mixed), [503, "provider_unavailable", undefined, 10]);
});

Deno.test("refusalFor() weighs what the attempts met", () => {
  const refused = (one: Route, reason: RouteReason): RouteRefusal => ({
    route: one.id,
    provider: one.providerId,
    reason,
  });
  const answer = (...rejected: RouteRefusal[]) =>
    refusalFor(question({ routes: [A, B] }), { candidates: [], rejected });
  const cases: readonly (readonly [RouteReason, RouteReason, unknown[]])[] = [
    ["attempt_failed", "attempt_failed", [503, "provider_unavailable", undefined, 1]],
    ["attempt_failed", "balance_too_low", [503, "provider_unavailable", undefined, 1]],
    ["attempt_failed", "disabled", [503, "provider_unavailable", undefined, 1]],
    ["balance_too_low", "balance_too_low", [402, "insufficient_balance", undefined, undefined]],
    ["balance_too_low", "disabled", [402, "insufficient_balance", undefined, undefined]],
    ["balance_too_low", "not_official", [402, "insufficient_balance", undefined, undefined]],
  ];
  for (const [first, second, expected] of cases) {
    assert.deepEqual(summary(answer(refused(A, first), refused(B, second))), expected);
    assert.deepEqual(summary(answer(refused(B, second), refused(A, first))), expected);
  }
});

Deno.test("refusalFor() waits for a route that its failed attempt has cooled", () => {
  const asked = question({ routes: [A], health: health({ a: { coolingUntil: 14_500 } }) });
  const rejected = [{ route: "a", provider: "p", reason: "attempt_failed" }] as const;
  assert.equal(refusalFor(asked, { candidates: [], rejected }).retryAfterSeconds, 5);
});
