/**
 * Warns of model patterns that allow nothing as things are.
 *
 * @module
 */

import { allowsModel } from "../../domain/account.ts";
import type { AdminDeps } from "../base/deps.ts";

/** One line for each pattern that no model fits; a model may still come, so it is no error. */
export function patternWarnings(
  { catalogue }: Pick<AdminDeps, "catalogue">,
  patterns: readonly string[],
): readonly string[] {
  const { models } = catalogue.current;
  return patterns
    .filter((pattern) => pattern !== "*")
    .filter((pattern) => !models.some(({ id }) => allowsModel([pattern], id)))
    .map((pattern) => `No model fits '${pattern}' now: see \`tollgate models list\``);
}
