/**
 * What an upstream's model takes and refuses: what its route says, and else the shipped list of its
 * name. A `gemini-` model that is not in the list is taken for one of the newest, any other one for one
 * that cannot be told how much to think.
 *
 * @module
 */

import type { ModelTraits } from "../../domain/model_traits.ts";
import { knownTraits } from "../../vendors/model_traits.ts";
import { GEMINI } from "./names.ts";

/** Of a model, by its name at the upstream, and what its route says of it. */
export function traitsOf(model = "gemini-", own: ModelTraits = {}): ModelTraits {
  return { ...knownTraits(GEMINI, model), ...own };
}
