/**
 * What the program knows of how a provider's model wants to be asked, for the routes to it: so it is
 * the catalogue that says it from then on, where its operator can read and change it.
 *
 * @module
 */

import type { FilePart } from "../../catalog/to_file.ts";
import { kindNamed } from "../../providers/kinds.ts";
import { namedTraits } from "../../vendors/model_traits.ts";

/** Members of a route's `supports`, as the file has them; none of a model that nobody knows. */
export function modelTraits(provider: FilePart, upstreamModel: string): FilePart {
  const dialect = kindNamed(String(provider.kind))?.dialectOf?.(provider, upstreamModel);
  return dialect === undefined ? {} : namedTraits(dialect, upstreamModel) ?? {};
}
