/**
 * Finds the data dir that a command is for, and the server that may own it.
 *
 * @module
 */

import { type LockOwner, readLockOwner } from "../../app/gateway.ts";
import type { Surroundings } from "../../config/surroundings.ts";
import { CommandFailure } from "./failure.ts";
import { isThere } from "./is_there.ts";

/** Where a service installed with `StateDirectory=tollgate` keeps its data. */
export const SERVICE_DATA_DIR = "/var/lib/tollgate";

/** Where a command works. */
export interface Target {
  readonly dataDir: string;
  /** The server that says it owns the data dir; it may be gone. */
  readonly server: Server | undefined;
  /** A service's data dir that this is not, for whoever finds nothing here. */
  readonly serviceDir: string | undefined;
}

/** A server, as its lock file names it. */
export type Server = LockOwner & { readonly socket: string };

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
  serviceDataDir = SERVICE_DATA_DIR,
): Target {
  const server = serverOf(dataDir);
  if (server !== undefined || isChosen || isDirectory(dataDir)) {
    return { dataDir, server, serviceDir: undefined };
  }
  const service = isDirectory(serviceDataDir) ? serverOf(serviceDataDir) : undefined;
  return service === undefined
    ? { dataDir, server, serviceDir: isThere(serviceDataDir) ? serviceDataDir : undefined }
    : { dataDir: serviceDataDir, server: service, serviceDir: undefined };
}

/**
 * The server that a data dir's lock file names; it may be gone.
 *
 * @throws {CommandFailure} When root would be led to a socket that is not the data dir's.
 */
export function serverOf(dataDir: string, uid = Deno.uid()): Server | undefined {
  let owner: LockOwner | undefined;
  try {
    owner = readLockOwner(dataDir);
  } catch (error) {
    // Somebody else's data dir: whoever uses it says so more clearly than this would.
    if ((error as { readonly code?: string }).code === "EACCES") return undefined;
    throw error;
  }
  if (owner?.kind !== "server" || owner.socket === undefined) return undefined;
  if (uid === 0) refuseForeignSocket(owner.socket, dataDir);
  return { ...owner, socket: owner.socket };
}

/** Whoever owns the data dir writes its lock: root goes to no other user's socket for that. */
function refuseForeignSocket(socket: string, dataDir: string): void {
  if (!isThere(socket)) return;
  const { isSocket, uid } = Deno.lstatSync(socket);
  const { uid: owner } = Deno.statSync(dataDir);
  if (isSocket === true && uid === owner) return;
  throw new CommandFailure(
    `Root does not use ${socket}, which ${dataDir}/lock names: it is not a socket of the user with id ${owner}, whose data dir that is. Look at who wrote the lock, and start the server again`,
  );
}
