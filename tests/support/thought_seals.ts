/**
 * How tests seal thoughts.
 *
 * @module
 */

import type { Seal } from "../../src/dialects/turns/blocks.ts";
import { ThoughtSeals } from "../../src/dialects/turns/thought_seals.ts";

/** With a key that is always the same. */
export const SEALS = new ThoughtSeals(new Uint8Array(32));

/** Seals what comes from a route. */
export function sealOf(seal?: Seal): string {
  return SEALS.wrap("upstream/route", seal);
}
