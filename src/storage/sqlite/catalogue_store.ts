/**
 * Providers, models, routes and price versions as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Catalogue, Model, Provider, Route } from "../../domain/catalogue.ts";
import type { PriceVersion } from "../../domain/price.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import {
  encodePrices,
  PRICE_COLUMNS,
  type PriceRow,
  pricesFromRow,
  priceValues,
} from "./price_row.ts";

interface DocumentRow {
  readonly document: string;
}

interface RouteRow extends DocumentRow, PriceRow {
  readonly enabled: number;
  readonly maintenance: number;
}

/** A route's switches: in force, and as the catalogue last said them. */
interface SwitchRow {
  readonly enabled: number;
  readonly maintenance: number;
  readonly written_enabled: number;
  readonly written_maintenance: number;
}

/** A model without its routes, a route without its prices and switches. */
type ModelDocument = Omit<Model, "routes">;
type RouteDocument = Omit<Route, "prices" | "enabled" | "maintenance">;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteCatalogueStore implements Synchronous<typeof STORES.catalogue> {
  readonly #database: DatabaseSync;
  readonly #newestPrices: StatementSync;
  readonly #insertPrices: StatementSync;
  readonly #lastVersion: StatementSync;
  readonly #switches: StatementSync;
  readonly #insertProvider: StatementSync;
  readonly #insertModel: StatementSync;
  readonly #insertRoute: StatementSync;
  readonly #switchRoute: StatementSync;
  readonly #writeCurrency: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#newestPrices = database.prepare(
      `SELECT version, route_id, currency, cost, sale FROM price_versions
       WHERE route_id = ? ORDER BY version DESC LIMIT 1`,
    );
    this.#insertPrices = database.prepare(
      `INSERT INTO price_versions (${
        PRICE_COLUMNS.join(", ")
      }, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#lastVersion = database.prepare(
      "SELECT coalesce(max(version), 0) AS version FROM price_versions",
    );
    this.#switches = database.prepare(
      "SELECT id, enabled, maintenance, written_enabled, written_maintenance FROM routes",
    );
    this.#insertProvider = database.prepare(
      "INSERT INTO providers (id, position, document) VALUES (?, ?, ?)",
    );
    this.#insertModel = database.prepare(
      "INSERT INTO models (id, position, kind, document) VALUES (?, ?, ?, ?)",
    );
    this.#insertRoute = database.prepare(
      `INSERT INTO routes (id, position, model_id, provider_id, price_version, enabled, maintenance,
       written_enabled, written_maintenance, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#switchRoute = database.prepare(
      "UPDATE routes SET enabled = ?, maintenance = ? WHERE id = ?",
    );
    this.#writeCurrency = database.prepare(
      `INSERT INTO meta (name, value) VALUES ('currency', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    );
  }

  load(): Catalogue | undefined {
    return this.#load();
  }

  priceVersions(versions: readonly number[]): readonly PriceVersion[] {
    const rows = this.#database.prepare(
      `SELECT version, route_id, currency, cost, sale FROM price_versions
       WHERE version IN (SELECT value FROM json_each(?)) ORDER BY version`,
    ).all(JSON.stringify(versions)) as unknown as PriceRow[];
    return rows.map(pricesFromRow);
  }

  /**
   * Replaces everything. A route keeps the switches an operator has set, as long
   * as the catalogue says of them what it said the time before.
   *
   * @returns the catalogue as stored: with version numbers and switches in force.
   */
  write(catalogue: Catalogue, at: number): Catalogue {
    const switches = this.#readSwitches();
    // Routes refer to both others, so they go first.
    this.#database.exec("DELETE FROM routes; DELETE FROM models; DELETE FROM providers");
    this.#writeCurrency.run(catalogue.currency);
    for (const [position, provider] of catalogue.providers.entries()) {
      this.#insertProvider.run(provider.id, position, JSON.stringify(provider));
    }
    let position = 0;
    const models = catalogue.models.map((model, modelPosition) => {
      const { routes: _routes, ...document } = model;
      this.#insertModel.run(model.id, modelPosition, model.kind, JSON.stringify(document));
      const routes = model.routes.map((route) =>
        this.#writeRoute(route, { position: position++, stored: switches.get(route.id), at })
      );
      return { ...model, routes };
    });
    return { ...catalogue, models };
  }

  /** Sets a route's switches; `false` if there is no such route. */
  switchRoute(routeId: string, enabled: boolean, maintenance: boolean): boolean {
    return this.#switchRoute.run(enabled ? 1 : 0, maintenance ? 1 : 0, routeId).changes === 1;
  }

  #writeRoute(
    route: Route,
    { position, stored, at }: {
      readonly position: number;
      readonly stored: SwitchRow | undefined;
      readonly at: number;
    },
  ): Route {
    const { prices: _prices, enabled: saidEnabled, maintenance: saidMaintenance, ...document } =
      route;
    const prices = this.#writePrices(route.prices, { routeId: route.id, at });
    const enabled = stored !== undefined && (stored.written_enabled === 1) === saidEnabled
      ? stored.enabled === 1
      : saidEnabled;
    const maintenance =
      stored !== undefined && (stored.written_maintenance === 1) === saidMaintenance
        ? stored.maintenance === 1
        : saidMaintenance;
    this.#insertRoute.run(
      route.id,
      position,
      route.modelId,
      route.providerId,
      prices.version,
      enabled ? 1 : 0,
      maintenance ? 1 : 0,
      saidEnabled ? 1 : 0,
      saidMaintenance ? 1 : 0,
      JSON.stringify(document),
    );
    return { ...route, enabled, maintenance, prices };
  }

  /** The newest stored version if it says the same, else a new one. */
  #writePrices(
    given: PriceVersion,
    { routeId, at }: { readonly routeId: string; readonly at: number },
  ): PriceVersion {
    const encoded = encodePrices(given);
    const newest = this.#newestPrices.get(routeId) as unknown as PriceRow | undefined;
    if (
      newest !== undefined && newest.currency === encoded.currency &&
      newest.cost === encoded.cost && newest.sale === encoded.sale
    ) return { ...given, routeId, version: newest.version };
    const last = this.#lastVersion.get()!.version as number;
    const prices = { ...given, routeId, version: last + 1 };
    this.#insertPrices.run(...priceValues(prices, at));
    return prices;
  }

  #readSwitches(): Map<string, SwitchRow> {
    const rows = this.#switches.all() as unknown as (SwitchRow & { readonly id: string })[];
    return new Map(rows.map((row) => [row.id, row]));
  }

  #load(): Catalogue | undefined {
    const currency = this.#database.prepare("SELECT value FROM meta WHERE name = 'currency'").get();
    if (currency === undefined) return undefined;
    const providers = this.#documents<Provider>("SELECT document FROM providers ORDER BY position");
    const models = this.#documents<ModelDocument>("SELECT document FROM models ORDER BY position");
    const routes = new Map<string, Route[]>();
    for (const route of this.#loadRoutes()) {
      const siblings = routes.get(route.modelId);
      if (siblings === undefined) routes.set(route.modelId, [route]);
      else siblings.push(route);
    }
    return {
      currency: currency.value as string,
      providers: providers.map((provider) => ({ ...provider, baseUrl: provider.baseUrl })),
      models: models.map((model) => ({ ...model, routes: routes.get(model.id) ?? [] })),
    };
  }

  #loadRoutes(): Route[] {
    const rows = this.#database.prepare(
      `SELECT r.document, r.enabled, r.maintenance, p.version, p.route_id, p.currency, p.cost, p.sale
       FROM routes AS r JOIN price_versions AS p ON p.version = r.price_version ORDER BY r.position`,
    ).all() as unknown as RouteRow[];
    return rows.map((row) => {
      const document = JSON.parse(row.document) as RouteDocument;
      return {
        ...document,
        // JSON has no undefined: the key is there all the same.
        video: document.video,
        enabled: row.enabled === 1,
        maintenance: row.maintenance === 1,
        prices: pricesFromRow(row),
      };
    });
  }

  #documents<Document>(sql: string): Document[] {
    const rows = this.#database.prepare(sql).all() as unknown as DocumentRow[];
    return rows.map((row) => JSON.parse(row.document) as Document);
  }
}
