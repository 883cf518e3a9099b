/**
 * Finds the data dir that a command is for, and the server that may own it.
 *
 * @module
 */

import type { LockOwner } from "../app.ts";
import { readLockOwner } from "../app.ts";
import type { Surroundings } from "../config/surroundings.ts";

/** Where a service installed with `StateDirectory=tollgate` keeps its data. */
const SERVICE_DATA_DIR = "/var/lib/tollgate";

/** Where a command works. */
export interface Target {
  readonly dataDir: string;
  /** The server that says it owns the data dir; it may be gone. */
  readonly server: (LockOwner & { readonly socket: string }) | undefined;
}

/** A data dir and whether the user has chosen it. */
export interface DataDirChoice {
  readonly dataDir: string;
  readonly isChosen: boolean;
}

/**
 * The chosen data dir. Where none was chosen and the usual one has no server,
 * the service's, if a server runs there.
 */
export function findTarget(
  { dataDir, isChosen }: DataDirChoice,
  { isDirectory }: Pick<Surroundings, "isDirectory">,
): Target {
  const server = serverOf(dataDir);
  if (server !== undefined || isChosen || isDirectory(dataDir)) return { dataDir, server };
  const service = isDirectory(SERVICE_DATA_DIR) ? serverOf(SERVICE_DATA_DIR) : undefined;
  return service === undefined
    ? { dataDir, server }
    : { dataDir: SERVICE_DATA_DIR, server: service };
}

function serverOf(dataDir: string): Target["server"] {
  let owner: LockOwner | undefined;
  try {
    owner = readLockOwner(dataDir);
  } catch (error) {
    // Somebody else's data dir: whoever uses it says so more clearly than this would.
    if (error instanceof Deno.errors.PermissionDenied) return undefined;
    throw error;
  }
  if (owner?.kind !== "server" || owner.socket === undefined) return undefined;
  return { ...owner, socket: owner.socket };
}
