/**
 * Whether the gateway takes calls: why not, what an operator should look at, and how its node is doing
 * where several share a database.
 *
 * @module
 */

import type { CatalogueHolder } from "../catalog/snapshot.ts";
import type { NodeReadiness, Readiness } from "../http/context/api_deps.ts";
import { keptWarnings } from "./log_kept.ts";
import { missingSecretWarnings } from "./missing_secrets.ts";
import type { Core } from "./open_core.ts";
import { routeWarnings } from "./route_warnings.ts";

/** Somebody who may have something to say. */
export interface Warner {
  warnings(): readonly string[];
}

/** Who is asked. */
export interface ReadinessSources {
  readonly core: Pick<Core, "health" | "room" | "server" | "sessions" | "followed">;
  readonly engine: { readonly draining: boolean };
  readonly ledger: { readonly troubled: boolean };
  readonly watched: Warner & { reasons(): readonly string[] };
  readonly admin: Parameters<typeof missingSecretWarnings>[0] & {
    readonly catalogue: Pick<CatalogueHolder, "current">;
  };
  readonly others: readonly Warner[];
}

/** What they say now. */
export function readinessOf(
  { core, engine, ledger, watched, admin, others }: ReadinessSources,
): Readiness {
  const reasons = [
    ...(engine.draining ? ["the gateway is stopping"] : []),
    ...(ledger.troubled ? ["the ledger cannot be written"] : []),
    ...watched.reasons(),
  ];
  const warnings = [
    ...missingSecretWarnings(admin),
    ...routeWarnings(admin.catalogue.current, core.health),
    ...keptWarnings(core.room),
    ...[watched, ...others].flatMap((one) => one.warnings()),
  ];
  return { ready: reasons.length === 0, reasons, warnings, node: nodeOf(core) };
}

/** Absent where a file has the database, which is this process's alone. */
function nodeOf(
  { server, sessions, followed }: ReadinessSources["core"],
): NodeReadiness | undefined {
  if (server === undefined) return undefined;
  const { silentMs, writingMs, clockAheadMs } = server.state();
  return {
    session: sessions.own,
    nodes: server.nodes.count,
    silentMs,
    unconfirmedMs: writingMs,
    changesAgeMs: followed?.ageMs ?? 0,
    clockAheadMs,
  };
}
