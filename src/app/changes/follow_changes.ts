/**
 * Follows other nodes, where there may be any.
 *
 * @module
 */

import type { ConfigurationVersion } from "../../storage/ports/configuration.ts";
import type { DatabaseServer } from "../database/driver.ts";
import type { ConfigurationMemory, FollowedChanges } from "./followed_changes.ts";

/** What is followed for. */
export interface FollowingOptions {
  /** What is in memory, where a server has the database. */
  readonly version: ConfigurationVersion | undefined;
  readonly memory: ConfigurationMemory;
  readonly staleMs: number | undefined;
  readonly onTrouble?: ((error: unknown) => void) | undefined;
}

/** Begins to follow; `undefined` where a file has the database, which nobody else changes. */
export async function followChanges(
  server: DatabaseServer | undefined,
  { version, onTrouble = () => {}, ...options }: FollowingOptions,
): Promise<FollowedChanges | undefined> {
  if (server === undefined) return undefined;
  const { FollowedChanges } = await import("./followed_changes.ts");
  return new FollowedChanges({
    source: server.configuration,
    ...options,
    version: version!,
    onTrouble,
  });
}
