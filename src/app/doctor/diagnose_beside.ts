/**
 * The Worker's part of a running server's diagnosis.
 *
 * @module
 */

import { systemClock } from "../../domain/clock.ts";
import type { JobResults, LongJob } from "../jobs/worker_protocol.ts";
import { diagnose } from "./diagnose.ts";

/** Looks at files and the database; it has neither the server's secrets nor its connections, and asks nobody else. */
export async function diagnoseBeside(
  { dataDir, database, looked, reserveBytes, server }: Extract<
    LongJob,
    { readonly kind: "diagnose" }
  >,
): Promise<JobResults["diagnose"]> {
  return await Array.fromAsync(diagnose({
    dataDir,
    database,
    looked,
    reserveBytes,
    server: { ...server, testProviders: () => Promise.resolve([]) },
    resolveSecret: () => ({ ok: false, message: "" }),
    proxied: { http: false, https: false },
    isOffline: true,
    clock: systemClock,
  }));
}
