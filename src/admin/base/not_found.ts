/**
 * Errors that many operations end with.
 *
 * @module
 */

import { didYouMean } from "../../documents/did_you_mean.ts";
import { GatewayError } from "../../errors.ts";
import type { AdminDeps } from "./deps.ts";

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

/**
 * Refuses a change of what the file owns.
 *
 * @param what Such as `project settings`.
 * @throws {GatewayError} `conflict`, naming the file.
 */
export function refuseWhereFileOwns(
  { catalogueOwner }: Pick<AdminDeps, "catalogueOwner">,
  what: string,
): void {
  if (catalogueOwner === undefined) return;
  throw new GatewayError(
    "conflict",
    `Cannot change ${what} here: ${catalogueOwner} owns them. Edit that file and send the server SIGHUP`,
  );
}
