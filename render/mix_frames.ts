/**
 * Lays one frame over another.
 *
 * @module
 */

import type { Frame } from "./frame.ts";

/**
 * Makes `below` what it and `above` are together: `share` of 0 leaves it, 1 makes it `above`.
 *
 * @throws {RangeError} when the frames differ in size.
 */
export function mixFrames(below: Frame, above: Frame, share: number): void {
  if (below.data.length !== above.data.length) {
    throw new RangeError("Cannot mix frames of different sizes");
  }
  const weight = Math.round(share * 256);
  if (weight <= 0) return;
  if (weight >= 256) return below.data.set(above.data);
  const rest = 256 - weight;
  const under = below.data;
  const over = above.data;
  for (let at = 0; at < under.length; at++) {
    under[at] = (under[at]! * rest + over[at]! * weight + 128) >> 8;
  }
}
