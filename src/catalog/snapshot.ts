/**
 * The catalogue in memory: immutable, looked up in constant time, replaced as a
 * whole after a change is committed.
 *
 * @module
 */

import type { Capability } from "../domain/capabilities.ts";
import type { VideoWork } from "../domain/call.ts";
import type { Catalogue, Model, Route } from "../domain/catalogue.ts";
import { kindNamed } from "../providers/kinds.ts";
import { wildcardsOf } from "./wildcard.ts";
import { unservedRoutes } from "./unserved_routes.ts";

/** Told after each swap, with the new and the previous state. */
export type SnapshotListener = (snapshot: Snapshot, previous: Snapshot) => void;

/** Indexes a catalogue. */
export function createSnapshot(catalogue: Catalogue) {
  const models = new Map<string, Model>();
  const routes = new Map<string, Route>();
  for (const model of catalogue.models) {
    for (const alias of model.aliases) models.set(alias, model);
    for (const route of model.routes) routes.set(route.id, route);
  }
  // After the aliases: an id wins over an alias of the same name.
  for (const model of catalogue.models) models.set(model.id, model);
  const providers = new Map(catalogue.providers.map((provider) => [provider.id, provider]));
  return Object.freeze({
    catalogue,
    models: catalogue.models,
    /** By id, else by alias. */
    model: (idOrAlias: string) => models.get(idOrAlias),
    /** One that the name is of, where an id stands for many. */
    matching: wildcardsOf(catalogue.models),
    provider: (id: string) => providers.get(id),
    route: (id: string) => routes.get(id),
    /** By their ids, routes that their providers cannot serve, and why. */
    unserved: unservedRoutes(catalogue),
    /** Whether a route's upstream speaks a dialect itself, of those that are converted for others. */
    isNative(route: Route, dialect: string): boolean {
      const provider = providers.get(route.providerId);
      const kind = kindNamed(provider?.kind);
      if (provider === undefined || kind?.natively === undefined) return false;
      const natively = kind.nativelyOf?.(provider, route) ?? kind.natively;
      return natively.some((name) => name === dialect);
    },
    /** Why a route's upstream makes no such film, whatever sizes and lengths it offers. */
    filmFault({ providerId }: Route, film: VideoWork): string | undefined {
      return kindNamed(providers.get(providerId)?.kind)?.filmFault?.(film);
    },
    /** Why a route's model does not serve a capability that others of its kind do. */
    capabilityFault({ providerId, upstreamModel }: Route, capability: Capability) {
      const kind = kindNamed(providers.get(providerId)?.kind);
      return kind?.capabilityFault?.(capability, upstreamModel);
    },
    /** Whether a provider is the vendor itself; false for one that does not exist. */
    isOfficial: (providerId: string) => providers.get(providerId)?.official ?? false,
  });
}

/** One state of the catalogue. A call that began with it keeps it to its end. */
export type Snapshot = ReturnType<typeof createSnapshot>;

/** Holds the current snapshot. */
export class CatalogueHolder {
  #current: Snapshot;
  readonly #listeners = new Set<SnapshotListener>();

  constructor(initial: Catalogue) {
    this.#current = createSnapshot(initial);
  }

  /** The state now; take it once per call. */
  get current(): Snapshot {
    return this.#current;
  }

  /** Replaces the catalogue, once its change is committed, and tells the listeners. */
  swap(catalogue: Catalogue): Snapshot {
    const previous = this.#current;
    this.#current = createSnapshot(catalogue);
    for (const listener of [...this.#listeners]) listener(this.#current, previous);
    return this.#current;
  }

  /** Calls `listener` after each swap, until the returned function is called. */
  subscribe(listener: SnapshotListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
