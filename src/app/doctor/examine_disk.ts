/**
 * Room on the data dir's disk.
 *
 * @module
 */

import { lookAtDisk } from "../database/look_at_disk.ts";
import type { Finding } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Looks by the one rule that there is. */
export function examineDisk({ dataDir, server, reserveBytes }: Patient): readonly Finding[] {
  // A server may have been started with other settings than this command finds.
  const known = server?.answers?.system.disk_reserve_bytes;
  return [{
    check: "disk",
    ...lookAtDisk(dataDir, {
      reserveBytes: known ?? reserveBytes,
      whose: known === undefined ? "a server with the settings found here" : "the server",
    }),
  }];
}
