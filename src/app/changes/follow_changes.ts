/**
 * Follows other nodes, where there may be any.
 *
 * @module
 */

import { type Changes, LONE_CHANGES } from "../../admin/base/changes.ts";
import type { ConfigurationVersion } from "../../storage/ports/configuration.ts";
import type { DatabaseServer } from "../database/driver.ts";
import type { ConfigurationMemory } from "./followed_changes.ts";

/** What is followed for. */
export interface FollowingOptions {
  /** What is in memory, where a server has the database. */
  readonly version: ConfigurationVersion | undefined;
  readonly memory: ConfigurationMemory;
  readonly onTrouble?: ((error: unknown) => void) | undefined;
}

/** Of a database that is a file nobody else changes anything. */
export async function followChanges(
  server: DatabaseServer | undefined,
  { version, memory, onTrouble = () => {} }: FollowingOptions,
): Promise<Changes> {
  if (server === undefined) return LONE_CHANGES;
  const { FollowedChanges } = await import("./followed_changes.ts");
  return new FollowedChanges({
    source: server.configuration,
    version: version!,
    memory,
    onTrouble,
  });
}
