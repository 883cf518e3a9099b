/**
 * One test per reason that keeps a route out, and the order of the reasons.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Route } from "../../src/domain/catalogue.ts";
import type { RouteReason } from "../../src/errors.ts";
import { refuseRoute, reservedTokens } from "../../src/routing/constraints.ts";
import { model, prices, route, saleAt } from "../support/catalogue_parts.ts";
import {
  health,
  question,
  type QuestionParts,
  type RouteHealthParts,
  waits,
} from "../support/route_question.ts";

/** A route that fits and a question it fits, with one thing wrong; and how it is told. */
interface Case {
  readonly reason: RouteReason;
  readonly route?: Partial<Route>;
  readonly asked?: QuestionParts;
  readonly detail?: string;
  /** The same thing just right. */
  readonly fits: { readonly route?: Partial<Route>; readonly asked?: QuestionParts };
}

const CASES: readonly Case[] = [
  {
    reason: "provider_not_requested",
    asked: { wishes: { provider: "other" } },
    fits: { asked: { wishes: { provider: "acme" } } },
  },
  {
    reason: "route_not_requested",
    asked: { wishes: { route: "acme/other" } },
    fits: { asked: { wishes: { route: "acme/one" } } },
  },
  {
    reason: "not_official",
    asked: { wishes: { preference: "official_only" } },
    fits: { asked: { wishes: { preference: "official_only" }, official: ["acme"] } },
  },
  {
    reason: "risk_level_excluded",
    route: { riskLevel: "high" },
    asked: { wishes: { excludeRiskLevels: ["medium", "high"] } },
    detail: "risk level high",
    fits: { route: { riskLevel: "low" }, asked: { wishes: { excludeRiskLevels: ["high"] } } },
  },
  {
    reason: "endpoint_not_supported",
    asked: { facts: { capability: "embeddings" } },
    detail: "does not serve embeddings",
    fits: {
      route: { supports: { responses: false } },
      asked: { facts: { capability: "responses" } },
    },
  },
  {
    reason: "streaming_not_supported",
    route: { supports: { stream: false } },
    asked: { facts: { stream: true } },
    fits: { route: { supports: { stream: false } } },
  },
  {
    reason: "tools_not_supported",
    route: { supports: { tools: false } },
    asked: { facts: { tools: true } },
    fits: { asked: { facts: { tools: true } } },
  },
  {
    reason: "vision_not_supported",
    route: { supports: { vision: false } },
    asked: { facts: { vision: true } },
    fits: { asked: { facts: { vision: true } } },
  },
  {
    reason: "json_schema_not_supported",
    route: { supports: { jsonSchema: false } },
    asked: { facts: { jsonSchema: true } },
    fits: { route: { supports: { jsonSchema: true } }, asked: { facts: { jsonSchema: true } } },
  },
  {
    reason: "context_too_long",
    route: { supports: { contextTokens: 8_192 } },
    asked: { facts: { promptTokensEstimate: 8_000, maxOutputTokens: 1_000 } },
    detail: "context 8192 tokens, request needs 9000",
    fits: {
      route: { supports: { contextTokens: 9_000 } },
      asked: { facts: { promptTokensEstimate: 8_000, maxOutputTokens: 1_000 } },
    },
  },
  {
    reason: "output_too_long",
    route: { supports: { maxOutputTokens: 4_096 } },
    asked: { facts: { maxOutputTokens: 4_097 } },
    detail: "at most 4096 output tokens, request asks 4097",
    fits: {
      route: { supports: { maxOutputTokens: 4_096 } },
      asked: { facts: { maxOutputTokens: 4_096 } },
    },
  },
  {
    reason: "unpriced",
    route: { prices: prices({ sale: saleAt({ input: "1" }) }) },
    fits: { route: { prices: prices({ sale: { kind: "free" }, cost: undefined }) } },
  },
  { reason: "disabled", route: { enabled: false }, fits: {} },
  { reason: "maintenance", route: { maintenance: true }, fits: {} },
  {
    reason: "cooling_down",
    asked: { health: health({ "acme/one": { coolingUntil: 21_001 } }) },
    detail: "cooling down for 12 s",
    fits: { asked: { health: health({ "acme/one": { coolingUntil: 10_000 } }) } },
  },
  {
    reason: "circuit_open",
    asked: { health: health({ "acme/one": { circuitOpenUntil: 10_001 } }) },
    detail: "circuit open for 1 s",
    fits: { asked: { health: health({ "acme/one": { circuitOpenUntil: 9_999 } }) } },
  },
  {
    reason: "at_capacity",
    asked: { capacity: waits({ "acme/one": 7 }) },
    detail: "room for this request in 7 s",
    fits: { asked: { capacity: waits({ other: 7 }) } },
  },
];

for (const { reason, route: parts, asked = {}, detail, fits } of CASES) {
  const about = detail === undefined ? reason : `${reason} (${detail})`;
  Deno.test(`refuseRoute() gives ${about}, and only then`, () => {
    const refused = refuseRoute(route(parts), question(asked));
    assert.deepEqual(refused, {
      route: "acme/one",
      provider: "acme",
      reason,
      ...(detail === undefined ? {} : { detail }),
    });
    assert.equal(refuseRoute(route(fits.route), question(fits.asked ?? {})), undefined);
  });
}

Deno.test("refuseRoute() passes a route of which nothing is known", () => {
  const everything = { stream: true, tools: true, vision: true, jsonSchema: true };
  const asked = question({
    facts: { ...everything, promptTokensEstimate: 10_000_000, maxOutputTokens: 1_000_000 },
  });
  assert.equal(refuseRoute(route(), asked), undefined);
});

Deno.test("refuseRoute() gives the first reason in the order of constraints", () => {
  // Everything is wrong at first; each step mends what was complained about.
  let parts: Partial<Route> = {
    riskLevel: "high",
    enabled: false,
    maintenance: true,
    prices: prices({ sale: undefined }),
    supports: {
      stream: false,
      tools: false,
      vision: false,
      jsonSchema: false,
      responses: false,
      contextTokens: 10,
      maxOutputTokens: 10,
    },
  };
  let cooling: "coolingUntil" | "circuitOpenUntil" | undefined = "coolingUntil";
  let wait = 5;
  let asked: QuestionParts = {
    wishes: {
      provider: "other",
      route: "acme/other",
      preference: "official_only",
      excludeRiskLevels: ["high"],
    },
    facts: {
      capability: "embeddings",
      stream: true,
      tools: true,
      vision: true,
      jsonSchema: true,
      maxOutputTokens: 100,
    },
  };
  const wish = (change: QuestionParts["wishes"]) =>
    asked = { ...asked, wishes: { ...asked.wishes, ...change } };
  const support = (change: Route["supports"]) =>
    parts = { ...parts, supports: { ...parts.supports, ...change } };
  const mend: readonly (readonly [RouteReason, () => unknown])[] = [
    ["provider_not_requested", () => wish({ provider: "acme" })],
    ["route_not_requested", () => wish({ route: "acme/one" })],
    ["not_official", () => wish({ preference: undefined })],
    ["risk_level_excluded", () => wish({ excludeRiskLevels: [] })],
    [
      "endpoint_not_supported",
      () => asked = { ...asked, facts: { ...asked.facts, capability: "responses" } },
    ],
    ["streaming_not_supported", () => support({ stream: true })],
    ["tools_not_supported", () => support({ tools: true })],
    ["vision_not_supported", () => support({ vision: true })],
    ["json_schema_not_supported", () => support({ jsonSchema: true })],
    ["context_too_long", () => support({ contextTokens: 100_000 })],
    ["output_too_long", () => support({ maxOutputTokens: 100_000 })],
    ["unpriced", () => parts = { ...parts, prices: prices() }],
    ["disabled", () => parts = { ...parts, enabled: true }],
    ["maintenance", () => parts = { ...parts, maintenance: false }],
    ["cooling_down", () => cooling = "circuitOpenUntil"],
    ["circuit_open", () => cooling = undefined],
    ["at_capacity", () => wait = 0],
  ];
  for (const [reason, step] of mend) {
    const until: RouteHealthParts = cooling === undefined ? {} : { [cooling]: 99_000 };
    const views = { health: health({ "acme/one": until }), capacity: waits({ "acme/one": wait }) };
    assert.equal(refuseRoute(route(parts), question({ ...asked, ...views }))?.reason, reason);
    step();
  }
  assert.equal(refuseRoute(route(parts), question(asked)), undefined);
});

Deno.test("refuseRoute() keeps server tools to routes that have them, where there are any", () => {
  const chat = route({ id: "acme/chat" });
  const own = route({ id: "acme/own", supports: { responses: true } });
  const facts = { capability: "responses", serverTools: ["web_search"] } as const;
  const asked = question({ model: model([chat, own]), facts });
  assert.equal(refuseRoute(own, asked), undefined);
  const refused = refuseRoute(chat, asked);
  assert.equal(refused?.reason, "tools_not_supported");
  assert.match(refused.detail ?? "", /web_search/);
  assert.equal(refuseRoute(chat, question({ model: model([chat]), facts })), undefined);
});

Deno.test("refuseRoute() takes routes that leave such tools out for ones that serve them", () => {
  const body = { set: {}, default: {}, drop: [], dropTools: ["web_search*"] };
  const chat = route({ id: "acme/chat" });
  const without = route({ id: "acme/without", body });
  const ask = (serverTools: readonly string[], routes = [chat, without]) => {
    const asked = question({
      model: model(routes),
      facts: { capability: "responses", serverTools },
    });
    return routes.map((one) => refuseRoute(one, asked)?.detail);
  };
  const lacks = (tool: string) => `has nothing like the tool ${tool}: it serves chat alone`;
  assert.deepEqual(ask(["web_search"]), [lacks("web_search"), undefined]);
  assert.deepEqual(ask(["web_search_preview"]), [lacks("web_search_preview"), undefined]);
  // Where no route serves it, the one that is asked says so best.
  assert.deepEqual(ask(["web_search", "mcp"]), [undefined, undefined]);
  const own = route({ id: "acme/own", supports: { responses: true } });
  assert.deepEqual(ask(["web_search", "mcp"], [without, own]), [lacks("mcp"), undefined]);
});

Deno.test("refuseRoute() takes such routes for those of Anthropic's tools, and of nothing else", () => {
  const body = { set: {}, default: {}, drop: [], dropTools: ["web_search_*"] };
  const chat = route({ id: "acme/chat" });
  const without = route({ id: "acme/without", body });
  const ask = (tools: readonly string[] | undefined) => {
    const ownOnly = { dialect: "anthropic_messages", what: "it", ...(tools && { tools }) };
    const asked = { ...question({ model: model([chat, without]) }), isNative: () => false };
    const facts = { ...asked.facts, capability: "messages" as const, ownOnly };
    return [chat, without].map((one) => refuseRoute(one, { ...asked, facts })?.reason);
  };
  assert.deepEqual(ask(["web_search_20250305"]), ["endpoint_not_supported", undefined]);
  assert.deepEqual(ask(["bash_20250124"]), [undefined, undefined]);
  assert.deepEqual(ask(undefined), [undefined, undefined]);
});

Deno.test("refuseRoute() refuses every route of a model that forbids a named source", () => {
  const fixed = model([route()], { manualSelection: false });
  for (const wishes of [{ provider: "acme" }, { route: "acme/one" }]) {
    const refused = refuseRoute(route(), question({ model: fixed, wishes }));
    assert.match(refused?.detail ?? "", /does not let callers name/);
  }
  assert.equal(refuseRoute(route(), question({ model: fixed })), undefined);
});

Deno.test("refuseRoute() asks capacity for the prompt and the likely output", () => {
  const asked: number[] = [];
  const capacity = {
    secondsUntilRoom: (_route: Route, tokens: number) => {
      asked.push(tokens);
      return 0;
    },
  };
  refuseRoute(route(), question({ capacity }));
  refuseRoute(route(), question({ capacity, facts: { maxOutputTokens: 100, choices: 3 } }));
  assert.deepEqual(asked, [1_512, 1_300]);
  assert.equal(reservedTokens(question({ facts: { capability: "embeddings" } }).facts), 1_000);
});
