/**
 * Small orders for the renderer's tests.
 *
 * @module
 */

import { NO_FILM_FAULTS } from "../faults.ts";
import type { FilmOrder } from "../film_order.ts";

/** A film of 96x64 pixels and one second, unless `changes` say otherwise. */
export function filmOrder(changes: Partial<FilmOrder> = {}): FilmOrder {
  return {
    prompt: "A red fox runs through a snowy forest",
    width: 96,
    height: 64,
    seconds: 1,
    faults: NO_FILM_FAULTS,
    ...changes,
  };
}
