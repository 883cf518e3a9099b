/**
 * The stay of a request that no limit applies to.
 *
 * @module
 */

import { UNLIMITED_PERMIT } from "../../src/limits/permit.ts";
import { Stay } from "../../src/limits/stay.ts";

/** Makes one; its room has no bounds. */
export function freeStay(): Stay {
  return new Stay(UNLIMITED_PERMIT, { reserve() {}, release() {} });
}
