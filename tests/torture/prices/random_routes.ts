/**
 * Routes with random prices, and the catalogue that has them.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";
import type { OracleRates, OracleSale } from "../books/price_oracle.ts";

/** A route as the oracle knows it. */
export interface PricedRoute {
  readonly id: string;
  readonly model: string;
  readonly cost: OracleRates | undefined;
  readonly sale: OracleSale;
}

/** How many routes there are. */
export const PRICED_ROUTES = 400;

const RATES = [
  "input",
  "cachedInput",
  "cacheWrite",
  "output",
  "reasoning",
  "request",
  "image",
] as const;

/** Routes whose rates have up to 8 decimals, and parts that fall back to others. */
export function randomRoutes(random: SeededRandom): readonly PricedRoute[] {
  return Array.from({ length: PRICED_ROUTES }, (_, index) => {
    const kind = random.weighted({ markup: 5, rates: 5, free: 1 });
    const cost = kind === "markup" || random.chance(0.8) ? randomRates(random) : undefined;
    const sale: OracleSale = kind === "free"
      ? { kind }
      : kind === "markup"
      ? { kind, factor: String(randomE8(random, 2) + 1n) }
      : { kind, rates: randomRates(random) };
    return { id: `remote/m${index}`, model: `m${index}`, cost, sale };
  });
}

/** Input and output have a rate always, as a route without is not priced. */
function randomRates(random: SeededRandom): OracleRates {
  const rates: { -readonly [name in typeof RATES[number]]?: string } = {};
  for (const name of RATES) {
    if (name !== "input" && name !== "output" && random.chance(0.5)) continue;
    rates[name] = String(randomE8(random, name === "request" || name === "image" ? 2 : 5));
  }
  return rates;
}

/** Up to so many digits before the point; often round, so that halves come about, and at times 0. */
function randomE8(random: SeededRandom, digits: number): bigint {
  const places = random.integer(0, 8);
  const whole = BigInt(random.integer(0, 10 ** random.integer(0, digits) - 1));
  const fraction = BigInt(random.integer(0, 10 ** places - 1)) * 10n ** BigInt(8 - places);
  return random.chance(0.03) ? 0n : whole * 10n ** 8n + fraction;
}

/** The catalogue; `dearest` is a model whose every token costs the most that can be written. */
export function routesCatalogue(routes: readonly PricedRoute[], url: string): string {
  return JSON.stringify({
    providers: [{ id: "remote", kind: "openai_compatible", base_url: url, auth: "none" }],
    models: [
      ...routes.map(({ id, model, cost, sale }) =>
        modelEntry(model, id, {
          ...(cost === undefined ? {} : { cost: written(cost) }),
          sale: sale.kind === "free"
            ? { free: true }
            : sale.kind === "markup"
            ? { markup: decimal(BigInt(sale.factor)) }
            : written(sale.rates),
        })
      ),
      modelEntry("dearest", "remote/dearest", {
        cost: { input: "1000000", output: "1000000" },
        sale: { markup: "1000" },
      }),
    ],
    projects: [{ id: "default", unlimited: true }, { id: "paying", unlimited: false }],
  });
}

function modelEntry(id: string, route: string, prices: object) {
  const upstream = { id: route, provider: "remote", upstream_model: id };
  return { id, kind: "chat", routes: [{ ...upstream, ...prices }] };
}

function written(rates: OracleRates): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rates).map(([name, rate]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      decimal(BigInt(rate as string)),
    ]),
  );
}

/** As an operator writes it: without zeros at the end. */
function decimal(e8: bigint): string {
  const digits = e8.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, "");
}
