/**
 * Price versions as rows. Rates are stored as JSON whose amounts are strings of
 * 1e-8 units, so that nothing passes through a floating point number; keys are
 * in one order, so that equal prices are equal text.
 *
 * @module
 */

import type { RateE8 } from "../../domain/money.ts";
import type { PriceVersion, Rates, Sale } from "../../domain/price.ts";
import { type ColumnValue, rowChecksum } from "./row_checksum.ts";

/** The columns of `price_versions` that its checksum covers, in table order. */
export const PRICE_COLUMNS = [
  "version",
  "route_id",
  "currency",
  "cost",
  "sale",
  "created_at",
] as const;

/** A row of `price_versions`. */
export interface PriceRow {
  readonly version: number;
  readonly route_id: string;
  readonly currency: string;
  readonly cost: string | null;
  readonly sale: string | null;
}

const PLAIN_RATES = [
  "input",
  "cachedInput",
  "cacheWrite",
  "output",
  "reasoning",
  "request",
  "image",
] as const;

type EncodedRates = { [name: string]: string | { [size: string]: string } };

type EncodedSale =
  | { readonly kind: "free" }
  | { readonly kind: "markup"; readonly factor: string }
  | { readonly kind: "rates"; readonly rates: EncodedRates };

/** What makes two prices of a route equal: currency, cost and sale as stored. */
export function encodePrices(
  prices: PriceVersion,
): { readonly currency: string; readonly cost: string | null; readonly sale: string | null } {
  return {
    currency: prices.currency,
    cost: prices.cost === undefined ? null : JSON.stringify(encodeRates(prices.cost)),
    sale: prices.sale === undefined ? null : JSON.stringify(encodeSale(prices.sale)),
  };
}

/** Values for a price version's row, checksum last. */
export function priceValues(prices: PriceVersion, createdAt: number): ColumnValue[] {
  const { currency, cost, sale } = encodePrices(prices);
  const values: ColumnValue[] = [
    prices.version,
    prices.routeId,
    currency,
    cost,
    sale,
    createdAt,
  ];
  values.push(rowChecksum(values));
  return values;
}

/** The price version that a row stores. */
export function pricesFromRow(row: PriceRow): PriceVersion {
  return {
    version: row.version,
    routeId: row.route_id,
    currency: row.currency,
    cost: row.cost === null ? undefined : decodeRates(JSON.parse(row.cost)),
    sale: row.sale === null ? undefined : decodeSale(JSON.parse(row.sale)),
  };
}

function encodeRates(rates: Rates): EncodedRates {
  const encoded: EncodedRates = {};
  for (const name of PLAIN_RATES) {
    const rate = rates[name];
    if (rate !== undefined) encoded[name] = rate.toString();
  }
  if (typeof rates.second === "bigint") encoded.second = rates.second.toString();
  else if (rates.second !== undefined) {
    const bySize = Object.entries(rates.second).sort(([a], [b]) => a < b ? -1 : 1);
    encoded.second = Object.fromEntries(bySize.map(([size, rate]) => [size, rate.toString()]));
  }
  return encoded;
}

function decodeRates(encoded: EncodedRates): Rates {
  const rates: { -readonly [name in keyof Rates]: Rates[name] } = {};
  for (const name of PLAIN_RATES) {
    if (encoded[name] !== undefined) rates[name] = BigInt(encoded[name] as string);
  }
  const second = encoded.second;
  if (typeof second === "string") rates.second = BigInt(second);
  else if (second !== undefined) {
    const bySize: { [size: string]: RateE8 } = {};
    for (const [size, rate] of Object.entries(second)) bySize[size] = BigInt(rate);
    rates.second = bySize;
  }
  return rates;
}

function encodeSale(sale: Sale): EncodedSale {
  switch (sale.kind) {
    case "free":
      return { kind: "free" };
    case "markup":
      return { kind: "markup", factor: sale.factorE8.toString() };
    case "rates":
      return { kind: "rates", rates: encodeRates(sale.rates) };
  }
}

function decodeSale(encoded: EncodedSale): Sale {
  switch (encoded.kind) {
    case "free":
      return { kind: "free" };
    case "markup":
      return { kind: "markup", factorE8: BigInt(encoded.factor) };
    case "rates":
      return { kind: "rates", rates: decodeRates(encoded.rates) };
  }
}
