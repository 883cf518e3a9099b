/**
 * What models at Bedrock take besides what all do: what their routes say, and else the shipped list, by
 * their ids, their inference profiles' or their ARNs.
 *
 * @module
 */

import type { ModelTraits } from "../../domain/model_traits.ts";
import { knownTraits } from "../../vendors/model_traits.ts";
import { CONVERSE } from "./names.ts";

/** Of a model, by its id, and what its route says of it. */
export function traitsOf(model = "", own: ModelTraits = {}): ModelTraits {
  return { ...knownTraits(CONVERSE, model), ...own };
}
