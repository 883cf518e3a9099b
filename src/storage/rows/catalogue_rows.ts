/**
 * Providers, models and routes as rows, and which switches of a route hold.
 *
 * @module
 */

import type { Model, NamedPrices, Route, SwitchesOff } from "../../domain/catalogue.ts";
import type { PriceVersion } from "../../domain/price.ts";
import type { PriceRow } from "./price_row.ts";

export interface DocumentRow {
  readonly document: string;
}

export interface RouteRow extends DocumentRow, PriceRow {
  readonly enabled: number;
  readonly maintenance: number;
  readonly switched_off: string | null;
}

/** What there is of a route: its switches in force, and as the catalogue last said them. */
export interface StoredRow extends DocumentRow {
  readonly price_version: number;
  readonly enabled: number;
  readonly maintenance: number;
  readonly written_enabled: number;
  readonly written_maintenance: number;
  readonly switched_off: string | null;
}

/** A route's switches, and what operators have said of them. */
export type SwitchState = Pick<Route, "enabled" | "maintenance" | "switchedOff">;

/** A model without its routes, a route without its prices and switches. */
export type ModelDocument = Omit<Model, "routes">;

export type RouteDocument = Omit<Route, keyof SwitchState | "prices" | "namedPrices"> & {
  readonly namedPrices?: readonly StoredNamedPrices[];
};

export type StoredNamedPrices = Omit<NamedPrices, "prices"> & { readonly version: number };

/** Price versions by their numbers. */
export type Versions = ReadonlyMap<number, PriceVersion>;

/** Of each switch the operator's, as long as the catalogue says of it what it said the time before. */
export function switchesOf(
  stored: StoredRow | undefined,
  said: Omit<SwitchState, "switchedOff">,
): SwitchState {
  if (stored === undefined) return said;
  const isEnabledKept = (stored.written_enabled === 1) === said.enabled;
  const isMaintenanceKept = (stored.written_maintenance === 1) === said.maintenance;
  const { disabled, maintenance } = switchedOffIn(stored).switchedOff ?? {};
  const switchedOff = {
    ...(isEnabledKept && disabled && { disabled }),
    ...(isMaintenanceKept && maintenance && { maintenance }),
  };
  return {
    enabled: isEnabledKept ? stored.enabled === 1 : said.enabled,
    maintenance: isMaintenanceKept ? stored.maintenance === 1 : said.maintenance,
    ...(Object.keys(switchedOff).length > 0 && { switchedOff }),
  };
}

export function switchedOffIn(
  { switched_off: said }: Pick<StoredRow, "switched_off">,
): { readonly switchedOff?: SwitchesOff } {
  return said === null ? {} : { switchedOff: JSON.parse(said) as SwitchesOff };
}

export function documentOf({ document }: DocumentRow): RouteDocument {
  return JSON.parse(document) as RouteDocument;
}

/** The revision of a catalogue, by the row that has it, if there is one. */
export function revisionIn(
  row: Readonly<Record<string, unknown>> | undefined,
): { readonly revision?: number } {
  return row === undefined ? {} : { revision: Number(row.value) };
}
