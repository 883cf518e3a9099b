/**
 * The error for a name that does not exist, with the likely one.
 *
 * @module
 */

import { didYouMean } from "../../documents/did_you_mean.ts";
import { GatewayError } from "../../errors.ts";

/** Names shown when none of them is near. */
const SHOWN = 8;

/** `not_found` for a `project`, `key`, `provider`, `route` …, and what to name instead. */
export function unknownName(
  kind: string,
  name: string,
  known: readonly string[],
): GatewayError {
  return new GatewayError("not_found", `There is no ${kind} '${name}'${hint(kind, name, known)}`);
}

function hint(kind: string, name: string, known: readonly string[]): string {
  const near = didYouMean(name, known);
  if (near !== undefined) return `: did you mean '${near}'?`;
  if (known.length === 0) return `: there is no ${kind} yet`;
  const shown = known.slice(0, SHOWN).join(", ");
  return known.length > SHOWN ? `: there are ${shown} …` : `: there are ${shown}`;
}
