/**
 * Names of models with a suffix that says how their routes are chosen, as OpenRouter's callers write
 * them. A model whose id or alias has such an ending by itself goes before.
 *
 * @module
 */

import type { Snapshot } from "../catalog/snapshot.ts";
import type { Model } from "../domain/catalogue.ts";
import type { RoutingPreference, SourceWishes } from "../domain/request_facts.ts";
import { GatewayError } from "../errors.ts";

const SUFFIXES: { readonly [suffix: string]: RoutingPreference } = {
  floor: "lowest_price",
  nitro: "highest_throughput",
};

/** Suffixes that ask for what Tollgate does not do. */
const FOREIGN: { readonly [suffix: string]: string } = {
  free: "prices are the operator's, and 'provider.max_price' bounds them",
  online: "no search is made beside a model: offer it a tool",
};

const SUFFIXED = /^(.+):([a-z]{1,16})$/;

/** A model that a name means, and what its suffix prefers. */
export interface NamedModel {
  readonly model: Model;
  readonly preference: RoutingPreference | undefined;
}

/**
 * The model of a name; `undefined` where there is none.
 *
 * @throws {GatewayError} `not_supported` for a suffix that asks for something else.
 */
export function modelNamed(snapshot: Snapshot, name: string): NamedModel | undefined {
  const exact = snapshot.model(name);
  if (exact !== undefined) return { model: exact, preference: undefined };
  const [, base, suffix] = SUFFIXED.exec(name) ?? [];
  const model = base === undefined ? undefined : snapshot.model(base);
  if (model === undefined) return matching(snapshot, name);
  if (Object.hasOwn(SUFFIXES, suffix!)) return { model, preference: SUFFIXES[suffix!] };
  if (!Object.hasOwn(FOREIGN, suffix!)) return matching(snapshot, name);
  throw new GatewayError(
    "not_supported",
    `The suffix ':${suffix}' is not supported: ${FOREIGN[suffix!]}. Name the model '${base}'`,
    { param: "model" },
  );
}

/** Characters of a name that no model has. */
const MOST_UNKNOWN = 200;

/** The id of the model that a name means, with its suffix or without; of none the name's beginning. */
export function modelIdOf(snapshot: Snapshot, name: string): string {
  const base = SUFFIXED.exec(name)?.[1] ?? name;
  const model = snapshot.model(name) ?? snapshot.model(base);
  return model?.id ?? name.slice(0, MOST_UNKNOWN);
}

/** What follows a colon is the upstream's own where it is the caller who names its model. */
function matching(snapshot: Snapshot, name: string): NamedModel | undefined {
  const model = snapshot.matching(name);
  return model && { model, preference: undefined };
}

/** The wishes with what the suffix of a model's name prefers, unless they prefer something themselves. */
export function wishesFor(snapshot: Snapshot, name: string, wishes: SourceWishes): SourceWishes {
  if (wishes.preference !== undefined || !name.includes(":")) return wishes;
  const preference = modelNamed(snapshot, name)?.preference;
  return preference === undefined ? wishes : { ...wishes, preference };
}
