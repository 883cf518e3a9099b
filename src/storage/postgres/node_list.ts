/**
 * Nodes as whoever looks at them sees them: what they have said of themselves, and what they have leased.
 *
 * @module
 */

import type { NodeView } from "../../domain/node_view.ts";
import type { Ask } from "./ask.ts";
import { READ_VERSION } from "./configuration_store.ts";
import { NOBODY } from "./session_register.ts";
import { SERVER_NOW } from "./sql.ts";

const NODES = `SELECT node_sessions.session_id, node, label, slot,
    coalesce(program, '') AS program, coalesce(begun_at, 0) AS begun_at,
    coalesce(beaten_at, 0) AS beaten_at, coalesce(clock_ahead_ms, 0) AS clock_ahead_ms,
    coalesce(config_version, 0) AS config_version, coalesce(config_age_ms, 0) AS config_age_ms,
    (${READ_VERSION})::bigint AS newest_version, ${SERVER_NOW} AS now,
    coalesce(leased.projects, 0) AS projects, coalesce(leased.left_e8, 0) AS left_e8,
    coalesce(leased.held_e8, 0) AS held_e8
  FROM node_sessions LEFT JOIN node_beats ON node_beats.session_id = node_sessions.session_id
  LEFT JOIN (SELECT session_id, count(*) AS projects, sum(left_e8) AS left_e8,
    sum(held_e8) AS held_e8 FROM leases GROUP BY session_id) AS leased
    ON leased.session_id = node_sessions.session_id
  WHERE state = 'live' AND node <> '${NOBODY}' ORDER BY node_sessions.session_id`;

/** Those whose session has not ended. */
export async function readNodes(ask: Ask): Promise<readonly NodeView[]> {
  return (await ask.allWide(NODES)).map((row) => {
    const number = (name: string) => Number(row[name]);
    const since = number("beaten_at");
    return {
      session: number("session_id"),
      node: row.node as string,
      label: row.label as string,
      slot: number("slot"),
      program: row.program === "" ? undefined : row.program as string,
      begunAt: number("begun_at") || undefined,
      beat: since === 0 ? undefined : {
        agoMs: Math.max(0, number("now") - since),
        clockAheadMs: number("clock_ahead_ms"),
        changesBehind: Math.max(0, number("newest_version") - number("config_version")),
        changesAgeMs: number("config_age_ms"),
      },
      leased: {
        projects: number("projects"),
        leftE8: row.left_e8 as bigint,
        heldE8: row.held_e8 as bigint,
      },
    };
  });
}
