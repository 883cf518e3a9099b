/**
 * Providers, models, routes and price versions.
 *
 * @module
 */

import type {
  Catalogue,
  NamedPrices,
  Provider,
  Route,
  SwitchesOff,
} from "../../domain/catalogue.ts";
import type { PriceVersion } from "../../domain/price.ts";
import { samePrices } from "../../domain/spell_rates.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import {
  documentOf,
  type DocumentRow,
  type ModelDocument,
  revisionIn,
  type RouteDocument,
  type RouteRow,
  type StoredRow,
  switchedOffIn,
  switchesOf,
  type SwitchState,
  type Versions,
} from "../rows/catalogue_rows.ts";
import { PRICE_COLUMNS, type PriceRow, pricesFromRow, priceValues } from "../rows/price_row.ts";
import { insertSql } from "../rows/row_of.ts";
import type { Ask, AskedRow } from "./ask.ts";

const PRICES = "SELECT version, route_id, currency, cost, sale FROM price_versions";

/** What a route is written beside. */
interface Beside {
  readonly position: number;
  readonly stored: StoredRow | undefined;
  readonly versions: Versions;
  readonly at: number;
}

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresCatalogueStore implements Asynchronous<typeof STORES.catalogue> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** What is written meanwhile is seen by whoever reads in one transaction alone. */
  async load(): Promise<Catalogue | undefined> {
    const currency = await this.#ask.get("SELECT value FROM cluster_meta WHERE name = 'currency'");
    if (currency === undefined) return undefined;
    const revision = await this.#ask.get(
      "SELECT value FROM cluster_meta WHERE name = 'catalogue_revision'",
    );
    const routes = Map.groupBy(await this.#loadRoutes(), ({ modelId }) => modelId);
    const providers = await this.#ask.all("SELECT document FROM providers ORDER BY position");
    const models = await this.#ask.all("SELECT document FROM models ORDER BY position");
    return {
      ...revisionIn(revision),
      currency: currency.value as string,
      providers: documents<Provider>(providers)
        .map((provider) => ({ ...provider, baseUrl: provider.baseUrl })),
      models: documents<ModelDocument>(models)
        .map((model) => ({ ...model, routes: routes.get(model.id) ?? [] })),
    };
  }

  async priceVersions(versions: readonly number[]): Promise<readonly PriceVersion[]> {
    const rows = await this.#ask.all(`${PRICES} WHERE version = ANY(?) ORDER BY version`, versions);
    return rows.map((row) => pricesFromRow(row as unknown as PriceRow));
  }

  /**
   * Replaces everything. A route keeps the switches an operator has set, as long
   * as the catalogue says of them what it said the time before.
   *
   * @returns the catalogue as stored: with version numbers and switches in force.
   */
  async write(catalogue: Catalogue, at: number): Promise<Catalogue> {
    const stored = await this.#readStored();
    const versions = await this.#versionsOf([...stored.values()].map(documentOf));
    // Routes refer to both others, so they go first.
    await this.#ask.run("DELETE FROM routes");
    await this.#ask.run("DELETE FROM models");
    await this.#ask.run("DELETE FROM providers");
    await this.#ask.run(
      `INSERT INTO cluster_meta (name, value) VALUES ('currency', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      catalogue.currency,
    );
    if (catalogue.revision !== undefined) {
      await this.#ask.run(
        `INSERT INTO cluster_meta (name, value) VALUES ('catalogue_revision', ?)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        String(catalogue.revision),
      );
    }
    for (const [position, provider] of catalogue.providers.entries()) {
      await this.#ask.run(
        "INSERT INTO providers (id, position, document) VALUES (?, ?, ?)",
        provider.id,
        position,
        JSON.stringify(provider),
      );
    }
    let position = 0;
    const models = [];
    for (const [modelPosition, model] of catalogue.models.entries()) {
      const { routes: _routes, ...document } = model;
      await this.#ask.run(
        "INSERT INTO models (id, position, kind, document) VALUES (?, ?, ?, ?)",
        model.id,
        modelPosition,
        model.kind,
        JSON.stringify(document),
      );
      const routes: Route[] = [];
      for (const route of model.routes) {
        const beside = { position: position++, stored: stored.get(route.id), versions, at };
        routes.push(await this.#writeRoute(route, beside));
      }
      models.push({ ...model, routes });
    }
    return { ...catalogue, models };
  }

  /** Sets a route's switches; `false` if there is no such route. */
  async switchRoute(
    routeId: string,
    { enabled, maintenance, switchedOff }: Omit<SwitchState, "switchedOff"> & {
      readonly switchedOff?: SwitchesOff | undefined;
    },
  ): Promise<boolean> {
    const said = switchedOff === undefined ? null : JSON.stringify(switchedOff);
    return await this.#ask.run(
      "UPDATE routes SET enabled = ?, maintenance = ?, switched_off = ? WHERE id = ?",
      enabled ? 1 : 0,
      maintenance ? 1 : 0,
      said,
      routeId,
    ) === 1;
  }

  async #writeRoute(
    { switchedOff: _switchedOff, ...route }: Route,
    { position, stored, versions, at }: Beside,
  ): Promise<Route> {
    const {
      prices: _prices,
      namedPrices: _namedPrices,
      enabled: saidEnabled,
      maintenance: saidMaintenance,
      ...document
    } = route;
    const prices = await this.#writePrices(route.prices, { stored, routeId: route.id, at });
    const namedPrices = await this.#writeNamedPrices(route, { stored, versions, at });
    const switches = switchesOf(stored, { enabled: saidEnabled, maintenance: saidMaintenance });
    const { enabled, maintenance, switchedOff } = switches;
    await this.#ask.run(
      `INSERT INTO routes (id, position, model_id, provider_id, price_version, enabled,
         maintenance, written_enabled, written_maintenance, switched_off, document)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      route.id,
      position,
      route.modelId,
      route.providerId,
      prices.version,
      enabled ? 1 : 0,
      maintenance ? 1 : 0,
      saidEnabled ? 1 : 0,
      saidMaintenance ? 1 : 0,
      switchedOff === undefined ? null : JSON.stringify(switchedOff),
      JSON.stringify({
        ...document,
        namedPrices: namedPrices?.map(({ prices: { version }, ...name }) => ({ ...name, version })),
      }),
    );
    return { ...route, ...switches, prices, ...(namedPrices && { namedPrices }) };
  }

  /** The version that the route has, or had when it was last there, if it says the same, else a new one. */
  async #writePrices(
    given: PriceVersion,
    { routeId, stored, at }: {
      readonly routeId: string;
      readonly stored: StoredRow | undefined;
      readonly at: number;
    },
  ): Promise<PriceVersion> {
    const known = stored === undefined
      ? await this.#ask.get(`${PRICES} WHERE route_id = ? ORDER BY version DESC LIMIT 1`, routeId)
      : await this.#ask.get(`${PRICES} WHERE version = ?`, stored.price_version);
    const row = known as unknown as PriceRow | undefined;
    if (row !== undefined && samePrices({ ...given, routeId }, pricesFromRow(row))) {
      return { ...given, routeId, version: row.version };
    }
    return await this.#insertPrices(given, { routeId, at });
  }

  /** Of each name the version that it has, if that says the same, else a new one. */
  async #writeNamedPrices(
    { id: routeId, namedPrices }: Route,
    { stored, versions, at }: Omit<Beside, "position">,
  ): Promise<readonly NamedPrices[] | undefined> {
    if (namedPrices === undefined) return undefined;
    const idOf = (one: Omit<NamedPrices, "prices">) => `${one.isBeginning === true} ${one.name}`;
    const before = stored && documentOf(stored).namedPrices;
    const known = new Map(before?.map((one) => [idOf(one), versions.get(one.version)]));
    const written: NamedPrices[] = [];
    for (const one of namedPrices) {
      const old = known.get(idOf(one));
      const prices = old !== undefined && samePrices(one.prices, old)
        ? old
        : await this.#insertPrices(one.prices, { routeId, at });
      written.push({ ...one, prices });
    }
    return written;
  }

  async #insertPrices(
    given: PriceVersion,
    { routeId, at }: { readonly routeId: string; readonly at: number },
  ): Promise<PriceVersion> {
    const last = await this.#ask.get(
      "SELECT coalesce(max(version), 0) AS version FROM price_versions",
    );
    const prices = { ...given, routeId, version: last!.version as number + 1 };
    const columns = [...PRICE_COLUMNS, "checksum"];
    await this.#ask.run(insertSql("price_versions", columns), ...priceValues(prices, at));
    return prices;
  }

  async #readStored(): Promise<Map<string, StoredRow>> {
    const rows = await this.#ask.all(
      `SELECT id, price_version, enabled, maintenance, written_enabled, written_maintenance,
         switched_off, document FROM routes`,
    );
    return new Map(rows.map((row) => [row.id as string, row as unknown as StoredRow]));
  }

  /** All that the names of wildcards have. */
  async #versionsOf(routes: readonly RouteDocument[]): Promise<Versions> {
    const numbers = routes.flatMap(({ namedPrices = [] }) => namedPrices.map((one) => one.version));
    if (numbers.length === 0) return new Map();
    return new Map((await this.priceVersions(numbers)).map((one) => [one.version, one]));
  }

  async #loadRoutes(): Promise<Route[]> {
    const found = await this.#ask.all(
      `SELECT r.document, r.enabled, r.maintenance, r.switched_off, p.version, p.route_id,
         p.currency, p.cost, p.sale
       FROM routes AS r JOIN price_versions AS p ON p.version = r.price_version
       ORDER BY r.position`,
    );
    const rows = (found as unknown as RouteRow[])
      .map((row) => ({ row, document: documentOf(row) }));
    const versions = await this.#versionsOf(rows.map(({ document }) => document));
    return rows.map(({ row, document: { namedPrices, ...document } }) => ({
      ...document,
      ...(namedPrices && {
        namedPrices: namedPrices.map(({ version, ...name }) => ({
          ...name,
          prices: versions.get(version)!,
        })),
      }),
      // JSON has no undefined: the key is there all the same.
      video: document.video,
      enabled: row.enabled === 1,
      maintenance: row.maintenance === 1,
      ...switchedOffIn(row),
      prices: pricesFromRow(row),
    }));
  }
}

function documents<Document>(rows: readonly AskedRow[]): Document[] {
  return (rows as unknown as readonly DocumentRow[]).map((row) =>
    JSON.parse(row.document) as Document
  );
}
