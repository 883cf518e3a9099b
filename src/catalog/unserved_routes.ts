/**
 * Routes that their providers cannot serve, whatever is asked: the catalogue file refuses them,
 * and one that is stored all the same is left out of every call, with the reason.
 *
 * @module
 */

import type { Catalogue } from "../domain/catalogue.ts";
import type { RouteReason } from "../errors.ts";
import type { ProviderKind } from "../providers/contract/kind.ts";
import { kindNamed } from "../providers/kinds.ts";

/** Why a route is left out. */
export interface Unserved {
  readonly reason: RouteReason;
  readonly detail: string;
}

/** What to say about a route whose provider is of a kind that does not serve its model's. */
export function notServed({ name, serves }: ProviderKind, model: unknown): string | undefined {
  if (typeof model !== "string" || serves.some((kind) => kind === model)) return undefined;
  return `A ${name} provider serves no ${model} models: it serves ${serves.join(" and ")}`;
}

/** By the route's id. */
export function unservedRoutes(
  { providers, models }: Catalogue,
): ReadonlyMap<string, Unserved> {
  const kinds = new Map(providers.map(({ id, kind }) => [id, kind]));
  const unserved = new Map<string, Unserved>();
  for (const model of models) {
    for (const route of model.routes) {
      const name = kinds.get(route.providerId);
      if (name === undefined) continue;
      const kind = kindNamed(name);
      const detail = kind === undefined ? unknownKind(name) : notServed(kind, model.kind);
      if (detail === undefined) continue;
      const reason = kind === undefined ? "provider_kind_unknown" : "endpoint_not_supported";
      unserved.set(route.id, { reason, detail });
    }
  }
  return unserved;
}

/** What to say about a provider that another version has stored. */
export function unknownKind(name: string): string {
  return `this version knows no providers of kind '${name.slice(0, 64)}'`;
}
