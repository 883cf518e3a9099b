/**
 * The log's lines of requests.
 *
 * @module
 */

import type { CatalogueHolder } from "../catalog/snapshot.ts";
import type { RequestRecord } from "../http/context/api_deps.ts";
import type { Log } from "../telemetry/log.ts";

/** Asked every few seconds by whoever watches the gateway: no news while they answer 200. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * One line for a request that was no metered call, or that a defect ended. Of a model that there is
 * not, it has nothing: what callers write in the place of a name may be anything.
 */
export function logRequest(
  log: Log,
  record: RequestRecord,
  catalogue: Pick<CatalogueHolder, "current">,
): void {
  const { note, cause, requestId, milliseconds, ...fields } = record;
  const line = {
    request_id: requestId,
    ...fields,
    ms: milliseconds,
    project: note.projectId,
    key: note.keyId,
    model: note.model === undefined ? undefined : catalogue.current.model(note.model)?.id,
    error: note.errorCode,
    cause: cause === undefined ? undefined : String(cause),
  };
  // A 503 is said on purpose, such as by a drain; what nobody intended is a 500.
  if (record.status === 500) log.error("request", line);
  else if (record.status > 500) log.warn("request", line);
  else if (PROBES.has(record.path)) log.debug("request", line);
  else log.info("request", line);
}
