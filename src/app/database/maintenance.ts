/**
 * What is done with the driver's files. A gateway that serves leaves it to its jobs' Worker: it is
 * all of the driver, which the storage's Worker has already, so whoever needs it in the main thread
 * loads it on demand.
 *
 * @module
 */

import type { Maintenance } from "../../storage/ports/maintenance.ts";
import { SQLITE_MAINTENANCE } from "../../storage/sqlite/maintenance/sqlite_maintenance.ts";

/** See the port. */
export const MAINTENANCE: Maintenance = SQLITE_MAINTENANCE;
