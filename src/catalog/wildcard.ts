/**
 * Models whose id ends in `*`: they stand for every name that begins so.
 *
 * @module
 */

import type { Model } from "../domain/catalogue.ts";
import { longId } from "./route_schema.ts";

/** Stands for the rest of a name. */
export const REST = "*";

/** Whether an id stands for many names. */
export function isWildcard(id: unknown): boolean {
  return typeof id === "string" && id.endsWith(REST);
}

/** Finds the model that a name is one of; kept of none, so that whoever asks for many fills no memory. */
export function wildcardsOf(models: readonly Model[]): (name: string) => Model | undefined {
  const wild = models.filter(({ id }) => isWildcard(id))
    .map((model) => ({ model, prefix: model.id.slice(0, -REST.length) }))
    .sort((one, other) => other.prefix.length - one.prefix.length);
  return (name) => {
    const found = wild.find(({ prefix }) => name.length > prefix.length && name.startsWith(prefix));
    if (found === undefined || !longId.safeParse(name).success) return undefined;
    return modelOf(found.model, name, name.slice(found.prefix.length));
  };
}

/** The model as if it were in the catalogue by that name: with the routes and prices of all of them. */
function modelOf(model: Model, id: string, rest: string): Model {
  return {
    ...model,
    id,
    aliases: [],
    routes: model.routes.map((route) => ({
      ...route,
      modelId: id,
      // A function: `$` in a name means nothing.
      upstreamModel: route.upstreamModel.replace(REST, () => rest),
      isWildcard: true,
    })),
  };
}
