/**
 * Requests of the toy, for the conformance of dialects.
 *
 * @module
 */

import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";

/** One. */
export function sampleRequest(random: SeededRandom): JsonObject {
  return { model: "m", say: `Hello ${random.integer(0, 9)}` };
}
