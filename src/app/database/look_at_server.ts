/**
 * Looking at a server's database without using it, for whoever asks what is wrong.
 *
 * @module
 */

import type { DatabasePlace } from "../../config/process_settings.ts";
import { diagnoseServer as diagnose } from "../../storage/postgres/diagnose_server.ts";
import { openPostgresLook } from "../../storage/postgres/look.ts";
import type { DatabaseDiagnosis, ReadOnlyStorage } from "../../storage/ports/maintenance.ts";
import { serverPlace } from "./driver.ts";

/** What there is to say about it. */
export function diagnoseServer(server: DatabasePlace): Promise<DatabaseDiagnosis> {
  return diagnose(serverPlace(server));
}

/**
 * Opens it, as it is at one moment.
 *
 * @throws {StorageOpenError} If nobody answers there, or nobody is let in.
 */
export function openServerLook(server: DatabasePlace): Promise<ReadOnlyStorage> {
  return openPostgresLook(serverPlace(server));
}
