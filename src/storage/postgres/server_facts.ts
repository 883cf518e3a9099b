/**
 * What a server says of itself: what its settings promise of what is written, and who has a copy.
 *
 * @module
 */

import type { ServerFacts, StandbyFacts } from "../ports/server_state.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { isFromServer } from "./connection.ts";

const SETTINGS = `SELECT name, setting FROM pg_settings WHERE name IN
  ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names',
  'transaction_read_only')`;

/** What it does not tell its user, or as another engine does not have, is left out. */
export async function readServerFacts(ask: Ask): Promise<ServerFacts> {
  const [version] = await told(ask, "SELECT version() AS name");
  const [recovery] = await told(
    ask,
    "SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS is_standby",
  );
  const settings = new Map(
    (await told(ask, SETTINGS)).map(({ name, setting }) => [String(name), String(setting)]),
  );
  const standbys = await told(
    ask,
    `SELECT coalesce(application_name, '') AS name, state, sync_state,
       floor(extract(epoch FROM replay_lag) * 1000)::bigint AS lag_ms
     FROM pg_stat_replication ORDER BY application_name, pid`,
  );
  return {
    // `PostgreSQL 15.18 (Debian …) on x86_64-…`
    name: String(version?.name ?? "").split(" (")[0]!,
    isStandby: recovery === undefined ? undefined : recovery.is_standby === 1,
    isReadOnly: settings.get("transaction_read_only") === "on",
    switchedOff: ["fsync", "full_page_writes", "synchronous_commit"].filter((name) =>
      settings.get(name) === "off"
    ),
    synchronousCommit: settings.get("synchronous_commit"),
    synchronousStandbys: settings.get("synchronous_standby_names"),
    standbys: standbys.map(standbyOf),
  };
}

/** The rows of those that its user may not see have names alone, or not even these. */
function standbyOf({ name, state, sync_state, lag_ms }: AskedRow): StandbyFacts {
  return {
    name: name as string,
    ...(state !== null && { state: state as string }),
    ...(sync_state !== null && { mode: sync_state as string }),
    ...(lag_ms !== null && { lagMs: lag_ms as number }),
  };
}

/** Nothing where the engine has no such thing, or does not tell it everybody. */
export async function told(ask: Ask, sql: string): Promise<readonly AskedRow[]> {
  try {
    return await ask.all(sql);
  } catch (error) {
    if (isFromServer(error)) return [];
    throw error;
  }
}
