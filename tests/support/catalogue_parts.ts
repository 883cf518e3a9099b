/**
 * Small catalogue parts for tests: a route with sensible values, changed where a
 * test says so, and a seeded source of chance.
 *
 * @module
 */

import type { Model, Route } from "../../src/domain/catalogue.ts";
import { parseAmount } from "../../src/domain/money.ts";
import type { Unit } from "../../src/domain/units.ts";
import type { PriceVersion, Rates, Sale } from "../../src/domain/price.ts";

/** Rates from decimal strings: `rates({ input: "0.25" })`. */
export function rates(texts: { readonly [unit in Unit]?: string }): Rates {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, parseAmount(text)]),
  );
}

/** Rates per second of film by its size. */
export function bySize(rates: { readonly [size: string]: bigint }): Rates {
  return {
    when: Object.entries(rates).map(([size, second]) => ({
      condition: { size },
      rates: { second },
    })),
  };
}

/** A sale at rates given as decimal strings. */
export function saleAt(texts: { readonly [unit in Unit]?: string }): Sale {
  return { kind: "rates", rates: rates(texts) };
}

/** A price version; without arguments: cost 1 and 2, sale 1.5 and 3 per million tokens. */
export function prices(parts: Partial<PriceVersion> = {}): PriceVersion {
  return {
    version: 1,
    routeId: "acme/one",
    currency: "USD",
    cost: rates({ input: "1", output: "2" }),
    sale: saleAt({ input: "1.5", output: "3" }),
    ...parts,
  };
}

/** A chat route `acme/one` of model `one`, changed by `parts`. */
export function route(parts: Partial<Route> = {}): Route {
  const id = parts.id ?? "acme/one";
  return {
    id,
    modelId: "one",
    providerId: "acme",
    upstreamModel: "one-upstream",
    riskLevel: "low",
    priority: 0,
    weight: 1,
    enabled: true,
    maintenance: false,
    supports: {},
    limits: {},
    body: { set: {}, default: {}, drop: [] },
    prices: prices({ routeId: id }),
    video: undefined,
    ...parts,
  };
}

/** The chat model `one` with these routes. */
export function model(routes: readonly Route[], parts: Partial<Model> = {}): Model {
  return {
    id: "one",
    kind: "chat",
    aliases: [],
    manualSelection: true,
    createdAt: 1_700_000_000,
    routes,
    ...parts,
  };
}

/** Uniform numbers in [0, 1) that a seed decides (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
