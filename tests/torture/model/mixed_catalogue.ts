/**
 * The catalogue of mixed operations, and what its prices make of a usage.
 *
 * @module
 */

import { oraclePrice, type OracleRates, tokenUsage } from "../books/price_oracle.ts";

/** Sale rates by model's route, as an operator writes them. */
const RATES = {
  "remote/chat": { input: "1.37", output: "5.11", request: "0.0001" },
  "remote/flaky": { input: "1.37", output: "5.11", request: "0.0001" },
  "remote/a": { input: "1", output: "2" },
  "remote/b": { input: "15", output: "30" },
  "remote/embed": { input: "0.13" },
} as const;

/** A route that something is paid for. */
export type PricedRouteId = keyof typeof RATES;

/** What a film of one second costs. */
export const FILM_E8 = 25_000_000n;

/** Projects that pay; the last one has too little for most of what it asks. */
export const PAYING = ["north", "south", "east", "poor"] as const;

/** Chat at one route, at a flaky one and at two; embeddings; films. */
export function mixedCatalogue(url: string): string {
  const sale = (id: PricedRouteId) => ({ cost: { input: "0.5", output: "1" }, sale: RATES[id] });
  const provider = { provider: "remote", supports: { responses: false } };
  return JSON.stringify({
    providers: [
      { id: "remote", kind: "openai_compatible", base_url: url, auth: "none" },
      { id: "builtin", kind: "builtin" },
    ],
    models: [
      {
        id: "chat",
        kind: "chat",
        routes: [{
          id: "remote/chat",
          ...provider,
          upstream_model: "chat",
          ...sale("remote/chat"),
        }],
      },
      {
        id: "flaky",
        kind: "chat",
        routes: [
          { id: "remote/flaky", ...provider, upstream_model: "flaky", ...sale("remote/flaky") },
        ],
      },
      {
        id: "two",
        kind: "chat",
        routes: [
          { id: "remote/a", ...provider, upstream_model: "up-a", ...sale("remote/a") },
          {
            id: "remote/b",
            ...provider,
            upstream_model: "up-b",
            cost: { input: "10", output: "20" },
            sale: { markup: "1.5" },
          },
        ],
      },
      {
        id: "embed",
        kind: "embedding",
        routes: [{
          id: "remote/embed",
          provider: "remote",
          upstream_model: "embed",
          cost: { input: "0.1" },
          sale: RATES["remote/embed"],
        }],
      },
      {
        id: "film",
        kind: "video",
        routes: [{
          id: "builtin/film",
          provider: "builtin",
          upstream_model: "video-2",
          video: { sizes: ["64x64"], seconds: [1] },
          cost: { second: "0.1" },
          sale: { second: "0.25" },
        }],
      },
    ],
    projects: [
      { id: "default", unlimited: true },
      ...PAYING.map((id) => ({ id, unlimited: false })),
    ],
  });
}

/** What so many tokens cost on a route. */
export function saleOf(route: PricedRouteId, prompt: number, completion: number): bigint {
  return price(route, BigInt(prompt), BigInt(completion));
}

/** What is held for a body of so many bytes and so much output: the most that can be charged. */
export function holdOf(route: PricedRouteId, bodyBytes: number, maxTokens: number): bigint {
  return price(route, BigInt(bodyBytes), BigInt(maxTokens));
}

function price(route: PricedRouteId, promptTokens: bigint, completionTokens: bigint): bigint {
  const rates = Object.fromEntries(
    Object.entries(RATES[route]).map(([name, rate]) => [name, String(unitsOf(rate))]),
  ) as OracleRates;
  return oraclePrice(
    { cost: undefined, sale: { kind: "rates", rates } },
    tokenUsage(promptTokens, completionTokens),
  ).sale;
}

function unitsOf(decimal: string): bigint {
  const [whole, fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(8, "0"));
}
