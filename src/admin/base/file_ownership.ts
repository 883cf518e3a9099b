/**
 * One owner per fact: what a catalogue file given to `serve` owns is not changed
 * anywhere else.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { AdminDeps } from "./deps.ts";

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
