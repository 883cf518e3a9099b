/**
 * Price versions as rows. Rates are stored as JSON whose amounts are strings of
 * 1e-8 units, so that nothing passes through a floating point number; keys are
 * in one order, so that equal prices are equal text.
 *
 * @module
 */

import type { PriceVersion, Rates, Sale } from "../../domain/price.ts";
import {
  OWN_NAMES,
  readRates,
  type SpelledRates,
  type Spelling,
  spellRates,
} from "../../domain/spell_rates.ts";
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

/** A row of `price_versions`, without when it was made. */
export interface PriceRow {
  readonly version: number;
  readonly route_id: string;
  readonly currency: string;
  readonly cost: string | null;
  readonly sale: string | null;
}

/** Rates as stored: units by their names in the code, amounts in digits. */
const STORED: Spelling = { ...OWN_NAMES, amount: (rate) => rate.toString() };

type EncodedSale =
  | { readonly kind: "free" }
  | { readonly kind: "markup"; readonly factor: string }
  | { readonly kind: "rates"; readonly rates: SpelledRates };

function encodePrices(
  prices: PriceVersion,
): Pick<PriceRow, "currency" | "cost" | "sale"> {
  return {
    currency: prices.currency,
    cost: prices.cost === undefined ? null : JSON.stringify(spellRates(prices.cost, STORED)),
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

function encodeSale(sale: Sale): EncodedSale {
  switch (sale.kind) {
    case "free":
      return { kind: "free" };
    case "markup":
      return { kind: "markup", factor: sale.factorE8.toString() };
    case "rates":
      return { kind: "rates", rates: spellRates(sale.rates, STORED) };
  }
}

function decodeRates(stored: SpelledRates): Rates {
  return readRates(stored, { ...STORED, amount: BigInt });
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
