/**
 * Which film a request asks for: its size and length, given or by default.
 *
 * @module
 */

import type { VideoWork } from "../domain/call.ts";
import type { Model, Route } from "../domain/catalogue.ts";
import type { SourceWishes } from "../domain/source_wishes.ts";
import { GatewayError } from "../errors.ts";

/** What was asked for; `undefined` is left to the route. */
export interface WorkWish {
  readonly size: string | undefined;
  readonly seconds: number | undefined;
  readonly wishes: SourceWishes;
}

/**
 * The film, with the defaults of the first route in the catalogue's order that
 * the caller lets through: the first of its sizes and lengths.
 *
 * @throws {GatewayError} `invalid_value` when the model offers no films at all.
 */
export function findWork(model: Model, { size, seconds, wishes }: WorkWish): VideoWork {
  const offers = model.routes.filter(({ video }) => video !== undefined);
  const first = offers.find((route) => route.enabled && fits(route, wishes)) ??
    offers.find((route) => fits(route, wishes)) ?? offers[0];
  if (first === undefined) {
    throw new GatewayError("invalid_value", `The model '${model.id}' has no route for films`, {
      param: "model",
    });
  }
  const offer = first.video!;
  return { size: size ?? offer.sizes[0]!, seconds: seconds ?? offer.seconds[0]! };
}

function fits(route: Route, { provider, route: id }: SourceWishes): boolean {
  return (provider ?? route.providerId) === route.providerId && (id ?? route.id) === route.id;
}
