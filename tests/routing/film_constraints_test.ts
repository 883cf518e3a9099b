/**
 * What keeps a route from making a film, and what its caller is told.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Route } from "../../src/domain/catalogue.ts";
import { ERROR_TABLE } from "../../src/errors.ts";
import { refuseRoute } from "../../src/routing/constraints.ts";
import { refusalFor } from "../../src/routing/refusal.ts";
import { selectRoute } from "../../src/routing/select_route.ts";
import { bySize, model, prices, route } from "../support/catalogue_parts.ts";
import { health, question, type QuestionParts, waits } from "../support/route_question.ts";

const BY_SIZE = prices({
  cost: undefined,
  sale: { kind: "rates", rates: bySize({ "1280x720": 5n, "640x360": 1n }) },
});

function film(parts: Partial<Route> = {}): Route {
  return route({
    prices: BY_SIZE,
    video: { sizes: ["1280x720", "640x360"], seconds: [4, 1, 12], passFields: ["seed"] },
    ...parts,
  });
}

/** A film of 1280x720, 4 s, of the video model that has these routes. */
function asking({ facts, routes = [], ...parts }: QuestionParts) {
  return question({
    model: model(routes, { kind: "video" }),
    facts: {
      capability: "videos",
      promptTokensEstimate: 0,
      video: { size: "1280x720", seconds: 4 },
      ...facts,
    },
    ...parts,
  });
}

function refused(one: Route, parts: QuestionParts = {}) {
  return refuseRoute(one, asking({ routes: [one], ...parts }));
}

Deno.test("refuseRoute() takes a film that is on offer, with the fields that are passed", () => {
  assert.equal(refused(film()), undefined);
  assert.equal(refused(film(), { facts: { passFields: ["seed"], vision: true } }), undefined);
});

Deno.test("refuseRoute() gives size_not_offered and what is offered", () => {
  for (const size of ["1280x721", "640X360", "constructor", ""]) {
    assert.deepEqual(refused(film(), { facts: { video: { size, seconds: 4 } } }), {
      route: "acme/one",
      provider: "acme",
      reason: "size_not_offered",
      detail: "offers 1280x720, 640x360",
    });
  }
  assert.equal(refused(film({ video: undefined }))?.detail, "offers none");
});

Deno.test("refuseRoute() gives seconds_not_offered and the lengths in rising order", () => {
  const refusal = refused(film(), { facts: { video: { size: "1280x720", seconds: 5 } } });
  assert.equal(refusal?.reason, "seconds_not_offered");
  assert.equal(refusal?.detail, "offers 1, 4, 12");
});

Deno.test("refuseRoute() gives field_not_passed and the field, cut where it is long", () => {
  const refusal = refused(film(), { facts: { passFields: ["seed", "fps"] } });
  assert.equal(refusal?.reason, "field_not_passed");
  assert.equal(refusal?.detail, "does not pass 'fps'");
  const long = refused(film(), { facts: { passFields: ["x".repeat(5_000)] } });
  assert.equal(long?.detail, `does not pass '${"x".repeat(64)}…'`);
});

Deno.test("refuseRoute() cuts a long list of what is offered", () => {
  const seconds = Array.from({ length: 60 }, (_, index) => index + 1);
  const one = film({ video: { sizes: ["1280x720"], seconds, passFields: [] } });
  const refusal = refused(one, { facts: { video: { size: "1280x720", seconds: 99 } } });
  assert.match(refusal?.detail ?? "", /^offers 1, 2, .*, 20 and 40 more$/);
});

Deno.test("refuseRoute() gives unpriced for a size that is offered without a rate", () => {
  const video = { sizes: ["1280x720", "720x1280"], seconds: [4], passFields: [] };
  const asked = { facts: { video: { size: "720x1280", seconds: 4 } } };
  const refusal = refused(film({ video }), asked);
  assert.deepEqual([refusal?.reason, refusal?.detail], [
    "unpriced",
    "sizes with a price: 1280x720",
  ]);
  const free = prices({ sale: { kind: "free" } });
  assert.equal(refused(film({ video, prices: free }), asked), undefined);
});

Deno.test("refuseRoute() gives vision_not_supported for an image only where that is known", () => {
  const blind = film({ supports: { vision: false } });
  assert.equal(refused(blind, { facts: { vision: true } })?.reason, "vision_not_supported");
  assert.equal(refused(blind), undefined);
});

Deno.test("refuseRoute() lets a film wait for a route that is full, and for no other reason", () => {
  const full = { capacity: waits({ "acme/one": 30 }) };
  assert.equal(refused(film(), full), undefined);
  const cooling = { health: health({ "acme/one": { coolingUntil: 99_000 } }) };
  assert.equal(refused(film(), cooling)?.reason, "cooling_down");
});

Deno.test("refuseRoute() complains of a film in the order image, size, seconds, field, price", () => {
  const nothing = film({
    supports: { vision: false },
    prices: prices({ sale: undefined }),
    enabled: false,
  });
  const wrong = { vision: true, video: { size: "1x1", seconds: 99 }, passFields: ["fps"] };
  const order = [
    ["vision_not_supported", { vision: false }],
    ["size_not_offered", { video: { size: "1280x720", seconds: 99 } }],
    ["seconds_not_offered", { video: { size: "1280x720", seconds: 4 } }],
    ["field_not_passed", { passFields: [] }],
  ] as const;
  let facts: QuestionParts["facts"] = wrong;
  for (const [reason, mended] of order) {
    assert.equal(refused(nothing, { facts })?.reason, reason);
    facts = { ...facts, ...mended };
  }
  assert.equal(refused(nothing, { facts })?.reason, "unpriced");
  assert.equal(refused({ ...nothing, prices: BY_SIZE }, { facts })?.reason, "disabled");
});

function answer(parts: QuestionParts) {
  const asked = asking(parts);
  const selection = selectRoute(asked);
  assert.deepEqual(selection.candidates, []);
  const { error, param, message, routes } = refusalFor(asked, selection);
  return { status: ERROR_TABLE[error].status, error, param, message, routes };
}

const A = film({ id: "a", providerId: "p" });
const B = film({
  id: "b",
  providerId: "q",
  video: { sizes: ["1792x1024"], seconds: [5], passFields: [] },
});

Deno.test("refusalFor() answers 400 with the sizes on offer when no route has the size", () => {
  const facts = { video: { size: "640X360", seconds: 4 } };
  const expected = {
    status: 400,
    error: "invalid_value",
    param: "size",
    message: "Model 'one' does not offer the size '640X360': " +
      "choose one of 1280x720, 640x360, 1792x1024",
  };
  const { routes, ...told } = answer({ routes: [A, B], facts });
  assert.deepEqual(told, expected);
  assert.deepEqual(routes.map(({ reason }) => reason), ["size_not_offered", "size_not_offered"]);
  // Neither the state of the routes nor a named one makes a wrong value right.
  const off = { ...A, enabled: false };
  assert.equal(answer({ routes: [off, B], facts }).param, "size");
  assert.equal(answer({ routes: [A, B], facts, wishes: { route: "a" } }).error, "invalid_value");
});

Deno.test("refusalFor() answers 400 with the lengths on offer when no route has the length", () => {
  const { routes: _routes, ...told } = answer({
    routes: [A, B],
    facts: { video: { size: "1280x720", seconds: 99 } },
  });
  assert.deepEqual(told, {
    status: 400,
    error: "invalid_value",
    param: "seconds",
    message: "Model 'one' does not offer films of 99 seconds: choose one of 1, 4, 5, 12",
  });
});

Deno.test("refusalFor() answers 400 naming a field that no route passes", () => {
  const unknown = answer({ routes: [A, B], facts: { passFields: ["seed", "promt"] } });
  assert.deepEqual([unknown.status, unknown.error, unknown.param], [400, "invalid_value", "promt"]);
  assert.equal(
    unknown.message,
    "Model 'one' does not know the field 'promt': leave it out; further fields it takes are seed",
  );
  const video = { size: "1792x1024", seconds: 5 };
  const none = answer({ routes: [B], facts: { video, passFields: ["seed"] } });
  assert.match(none.message, /; it takes no further fields$/);
});

Deno.test("refusalFor() answers 404 for a value that only a route offers which is ruled out", () => {
  const size = { video: { size: "1792x1024", seconds: 4 } };
  const between = answer({ routes: [A, B], facts: size });
  assert.deepEqual([between.status, between.error, between.param], [
    404,
    "no_such_route",
    "seconds",
  ]);
  assert.match(between.message, /it does not offer this length \(offers 5\)/);
  const risky = answer({
    routes: [A, { ...B, riskLevel: "high" }],
    facts: { video: { size: "1792x1024", seconds: 5 } },
    wishes: { excludeRiskLevels: ["high"] },
  });
  assert.deepEqual([risky.error, risky.param], ["no_such_route", "size"]);
  const named = answer({ routes: [A, B], facts: size, wishes: { route: "a" } });
  assert.deepEqual([named.status, named.error], [400, "route_not_selectable"]);
  assert.match(named.message, /it does not offer this size \(offers 1280x720, 640x360\)/);
});

Deno.test("refusalFor() names input_reference when no route takes an image", () => {
  const blind = { ...A, supports: { vision: false } };
  const told = answer({ routes: [blind], facts: { vision: true } });
  assert.deepEqual([told.error, told.param], ["no_such_route", "input_reference"]);
});

Deno.test("refusalFor() advises a cheaper film where the balance is too low", () => {
  const asked = asking({ routes: [A] });
  const rejected = [{ route: "a", provider: "p", reason: "balance_too_low" }] as const;
  const { message } = refusalFor(asked, { candidates: [], rejected });
  assert.match(message, /or choose fewer seconds or a smaller size$/);
  assert.doesNotMatch(message, /requested output/);
});
