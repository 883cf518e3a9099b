/**
 * Routing questions for tests: everything passes unless a test says otherwise.
 *
 * @module
 */

import type { Route } from "../../src/domain/catalogue.ts";
import type { OperatorFault } from "../../src/domain/upstream_error.ts";
import { likelyBought, quoteLikely } from "../../src/pricing/quote.ts";
import type { HealthView, RouteQuestion } from "../../src/routing/route_request.ts";
import type { RequestFacts, SourceWishes } from "../../src/domain/request_facts.ts";
import { model, seededRandom } from "./catalogue_parts.ts";
import { NO_WISHES } from "./no_wishes.ts";

/** What a test changes of a question. */
export interface QuestionParts extends Partial<Omit<RouteQuestion, "wishes" | "facts">> {
  readonly routes?: readonly Route[];
  readonly wishes?: Partial<SourceWishes>;
  readonly facts?: Partial<RequestFacts>;
  /** Providers that count as official. */
  readonly official?: readonly string[];
}

/** A small chat request without wishes, asked at monotonic time 10,000 ms. */
export function question(parts: QuestionParts): RouteQuestion {
  const { routes = [], wishes, facts: factParts, official = [], ...rest } = parts;
  const facts: RequestFacts = {
    capability: "chat",
    stream: false,
    tools: false,
    vision: false,
    jsonSchema: false,
    promptTokensEstimate: 1_000,
    promptTokensBound: 4_000,
    maxOutputTokens: undefined,
    choices: 1,
    ...factParts,
  };
  return {
    model: model(routes),
    projectId: undefined,
    wishes: { ...NO_WISHES, ...wishes },
    facts,
    isOfficial: (providerId) => official.includes(providerId),
    unserved: new Map(),
    routeOf: (id) => routes.find((one) => one.id === id),
    quote: ({ prices }) => quoteLikely(prices, likelyBought(facts)),
    health: health({}),
    capacity: { secondsUntilRoom: () => 0 },
    now: 10_000,
    random: seededRandom(1),
    ...rest,
  };
}

/** What a test says of one route's health. */
export interface RouteHealthParts {
  readonly coolingUntil?: number;
  readonly circuitOpenUntil?: number;
  /** From when a call without another route may try it; as long as it cools unless said. */
  readonly lastResortFrom?: number;
  /** What its upstream refuses of the operator's while it cools. */
  readonly fault?: OperatorFault;
  readonly successRate?: number;
  readonly latencyMs?: number;
  readonly firstByteMs?: number;
  readonly tokensPerSecond?: number;
}

/** A health view by route id; a route that is not named has never been tried. */
export function health(parts: { readonly [routeId: string]: RouteHealthParts }): HealthView {
  return {
    isTroubled: (id) => parts[id] !== undefined,
    coolingUntil: (id) => parts[id]?.circuitOpenUntil ?? parts[id]?.coolingUntil ?? 0,
    lastResortFrom: (id) =>
      parts[id]?.lastResortFrom ?? parts[id]?.circuitOpenUntil ?? parts[id]?.coolingUntil ?? 0,
    shutProjects: () => [],
    coolingFault: (id) => parts[id]?.fault,
    isDown: (id) => parts[id]?.circuitOpenUntil !== undefined || parts[id]?.fault !== undefined,
    coolingReason: (id) =>
      parts[id]?.circuitOpenUntil === undefined ? "cooling_down" : "circuit_open",
    successRate: (id) => parts[id]?.successRate ?? 0.98,
    tokensPerSecond: (id) => parts[id]?.tokensPerSecond,
    latencyMs: (id, stream) => stream ? parts[id]?.firstByteMs : parts[id]?.latencyMs,
  };
}

/** A capacity view: seconds until room by route id. */
export function waits(seconds: { readonly [routeId: string]: number }) {
  return { secondsUntilRoom: ({ id }: Route) => seconds[id] ?? 0 };
}
