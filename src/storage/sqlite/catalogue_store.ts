/**
 * Providers, models, routes and price versions as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type {
  Catalogue,
  NamedPrices,
  Provider,
  Route,
  SwitchesOff,
} from "../../domain/catalogue.ts";
import type { PriceVersion } from "../../domain/price.ts";
import { samePrices } from "../../domain/spell_rates.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { PRICE_COLUMNS, type PriceRow, pricesFromRow, priceValues } from "../rows/price_row.ts";
import { insertSql } from "../rows/row_of.ts";
import { prepareAll } from "./statements.ts";
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

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteCatalogueStore implements Synchronous<typeof STORES.catalogue> {
  readonly #database: DatabaseSync;
  readonly #sql;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const prices = "SELECT version, route_id, currency, cost, sale FROM price_versions";
    this.#sql = prepareAll(database, {
      newestPrices: `${prices} WHERE route_id = ? ORDER BY version DESC LIMIT 1`,
      pricesOf: `${prices} WHERE version IN (SELECT value FROM json_each(?)) ORDER BY version`,
      insertPrices: insertSql("price_versions", [...PRICE_COLUMNS, "checksum"]),
      lastVersion: "SELECT coalesce(max(version), 0) AS version FROM price_versions",
      stored: `SELECT id, price_version, enabled, maintenance, written_enabled, written_maintenance,
        switched_off, document FROM routes`,
      insertProvider: "INSERT INTO providers (id, position, document) VALUES (?, ?, ?)",
      insertModel: "INSERT INTO models (id, position, kind, document) VALUES (?, ?, ?, ?)",
      insertRoute: `INSERT INTO routes (id, position, model_id, provider_id, price_version, enabled,
        maintenance, written_enabled, written_maintenance, switched_off, document)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      switchRoute: "UPDATE routes SET enabled = ?, maintenance = ?, switched_off = ? WHERE id = ?",
      writeCurrency: `INSERT INTO meta (name, value) VALUES ('currency', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      currency: "SELECT value FROM meta WHERE name = 'currency'",
      writeRevision: `INSERT INTO meta (name, value) VALUES ('catalogue_revision', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      revision: "SELECT value FROM meta WHERE name = 'catalogue_revision'",
      providers: "SELECT document FROM providers ORDER BY position",
      models: "SELECT document FROM models ORDER BY position",
      routes:
        `SELECT r.document, r.enabled, r.maintenance, r.switched_off, p.version, p.route_id, p.currency,
          p.cost, p.sale
        FROM routes AS r JOIN price_versions AS p ON p.version = r.price_version
        ORDER BY r.position`,
    });
  }

  load(): Catalogue | undefined {
    const currency = this.#sql.currency.get();
    if (currency === undefined) return undefined;
    const routes = Map.groupBy(this.#loadRoutes(), ({ modelId }) => modelId);
    return {
      ...revisionIn(this.#sql.revision.get()),
      currency: currency.value as string,
      providers: documents<Provider>(this.#sql.providers)
        .map((provider) => ({ ...provider, baseUrl: provider.baseUrl })),
      models: documents<ModelDocument>(this.#sql.models)
        .map((model) => ({ ...model, routes: routes.get(model.id) ?? [] })),
    };
  }

  priceVersions(versions: readonly number[]): readonly PriceVersion[] {
    const rows = this.#sql.pricesOf.all(JSON.stringify(versions)) as unknown as PriceRow[];
    return rows.map(pricesFromRow);
  }

  /**
   * Replaces everything. A route keeps the switches an operator has set, as long
   * as the catalogue says of them what it said the time before.
   *
   * @returns the catalogue as stored: with version numbers and switches in force.
   */
  write(catalogue: Catalogue, at: number): Catalogue {
    const stored = this.#readStored();
    const versions = this.#versionsOf([...stored.values()].map(documentOf));
    // Routes refer to both others, so they go first.
    this.#database.exec("DELETE FROM routes; DELETE FROM models; DELETE FROM providers");
    this.#sql.writeCurrency.run(catalogue.currency);
    if (catalogue.revision !== undefined) this.#sql.writeRevision.run(String(catalogue.revision));
    for (const [position, provider] of catalogue.providers.entries()) {
      this.#sql.insertProvider.run(provider.id, position, JSON.stringify(provider));
    }
    let position = 0;
    const models = catalogue.models.map((model, modelPosition) => {
      const { routes: _routes, ...document } = model;
      this.#sql.insertModel.run(model.id, modelPosition, model.kind, JSON.stringify(document));
      const routes = model.routes.map((route) =>
        this.#writeRoute(route, {
          position: position++,
          stored: stored.get(route.id),
          versions,
          at,
        })
      );
      return { ...model, routes };
    });
    return { ...catalogue, models };
  }

  /** Sets a route's switches; `false` if there is no such route. */
  switchRoute(
    routeId: string,
    { enabled, maintenance, switchedOff }: Omit<SwitchState, "switchedOff"> & {
      readonly switchedOff?: SwitchesOff | undefined;
    },
  ): boolean {
    const said = switchedOff === undefined ? null : JSON.stringify(switchedOff);
    const { switchRoute } = this.#sql;
    return switchRoute.run(enabled ? 1 : 0, maintenance ? 1 : 0, said, routeId).changes === 1;
  }

  #writeRoute(
    { switchedOff: _switchedOff, ...route }: Route,
    { position, stored, versions, at }: {
      readonly position: number;
      readonly stored: StoredRow | undefined;
      readonly versions: Versions;
      readonly at: number;
    },
  ): Route {
    const {
      prices: _prices,
      namedPrices: _namedPrices,
      enabled: saidEnabled,
      maintenance: saidMaintenance,
      ...document
    } = route;
    const prices = this.#writePrices(route.prices, { stored, routeId: route.id, at });
    const namedPrices = this.#writeNamedPrices(route, { stored, versions, at });
    const switches = switchesOf(stored, { enabled: saidEnabled, maintenance: saidMaintenance });
    const { enabled, maintenance, switchedOff } = switches;
    this.#sql.insertRoute.run(
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
  #writePrices(
    given: PriceVersion,
    { routeId, stored, at }: {
      readonly routeId: string;
      readonly stored: StoredRow | undefined;
      readonly at: number;
    },
  ): PriceVersion {
    const known = stored === undefined
      ? this.#sql.newestPrices.get(routeId) as unknown as PriceRow | undefined
      : this.#sql.pricesOf.get(JSON.stringify([stored.price_version])) as unknown as PriceRow;
    if (known !== undefined && samePrices({ ...given, routeId }, pricesFromRow(known))) {
      return { ...given, routeId, version: known.version };
    }
    return this.#insertPrices(given, { routeId, at });
  }

  /** Of each name the version that it has, if that says the same, else a new one. */
  #writeNamedPrices(
    { id: routeId, namedPrices }: Route,
    { stored, versions, at }: {
      readonly stored: StoredRow | undefined;
      readonly versions: Versions;
      readonly at: number;
    },
  ): readonly NamedPrices[] | undefined {
    const idOf = (one: Omit<NamedPrices, "prices">) => `${one.isBeginning === true} ${one.name}`;
    const before = stored && documentOf(stored).namedPrices;
    const known = new Map(before?.map((one) => [idOf(one), versions.get(one.version)]));
    return namedPrices?.map((one) => {
      const old = known.get(idOf(one));
      const prices = old !== undefined && samePrices(one.prices, old)
        ? old
        : this.#insertPrices(one.prices, { routeId, at });
      return { ...one, prices };
    });
  }

  #insertPrices(
    given: PriceVersion,
    { routeId, at }: { readonly routeId: string; readonly at: number },
  ): PriceVersion {
    const last = this.#sql.lastVersion.get()!.version as number;
    const prices = { ...given, routeId, version: last + 1 };
    this.#sql.insertPrices.run(...priceValues(prices, at));
    return prices;
  }

  #readStored(): Map<string, StoredRow> {
    const rows = this.#sql.stored.all() as unknown as (StoredRow & { readonly id: string })[];
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** All that the names of wildcards have. */
  #versionsOf(routes: readonly RouteDocument[]): Versions {
    const numbers = routes.flatMap(({ namedPrices = [] }) => namedPrices.map((one) => one.version));
    if (numbers.length === 0) return new Map();
    return new Map(this.priceVersions(numbers).map((one) => [one.version, one]));
  }

  #loadRoutes(): Route[] {
    const rows = (this.#sql.routes.all() as unknown as RouteRow[])
      .map((row) => ({ row, document: documentOf(row) }));
    const versions = this.#versionsOf(rows.map(({ document }) => document));
    return rows.map(({ row, document: { namedPrices, ...document } }) => {
      return {
        ...document,
        ...(namedPrices && {
          namedPrices: namedPrices.map(({ version, ...name }) => ({
            ...name,
            prices: versions.get(version)!,
          })),
        }),
        // Older versions have stored none.
        priority: document.priority ?? 0,
        // JSON has no undefined: the key is there all the same.
        video: document.video,
        enabled: row.enabled === 1,
        maintenance: row.maintenance === 1,
        ...switchedOffIn(row),
        prices: pricesFromRow(row),
      };
    });
  }
}

function documents<Document>(statement: StatementSync): Document[] {
  const rows = statement.all() as unknown as DocumentRow[];
  return rows.map((row) => JSON.parse(row.document) as Document);
}
