/**
 * What leases of a batch are decided by besides the balances that they are of.
 *
 * @module
 */

import type { AmountE8 } from "../../domain/money.ts";
import type { SessionId } from "../../domain/session.ts";
import type { Ask } from "./ask.ts";
import { SERVER_NOW } from "./sql.ts";

/** As it is once those balances are locked. */
export interface LeaseFacts {
  /** How many live that may lease. */
  readonly nodes: bigint;
  /** Milliseconds since the epoch by the server's clock. */
  readonly now: number;
  /** What other nodes have leased of each project and do not hold, where that is anything. */
  readonly elsewhere: ReadonlyMap<string, AmountE8>;
}

/** Reads them, for all leases of a batch at once. @param session Whose the batch is. */
export async function readLeaseFacts(
  ask: Ask,
  { session, projectIds }: {
    readonly session: SessionId;
    readonly projectIds: readonly string[];
  },
): Promise<LeaseFacts> {
  // They are asked for in one turn.
  const [leases, row] = await Promise.all([
    ask.allWide(
      `SELECT project_id, sum(left_e8) AS left_e8 FROM leases
       WHERE project_id = ANY(?::text[]) AND session_id <> ?::bigint GROUP BY project_id`,
      projectIds,
      session,
    ),
    ask.getWide(
      `SELECT count(*) AS nodes, ${SERVER_NOW} AS now FROM node_sessions
       WHERE state = 'live' AND session_id > 0`,
    ),
  ]);
  return {
    nodes: row!.nodes as bigint,
    now: Number(row!.now),
    elsewhere: new Map(
      leases.map(({ project_id, left_e8 }) => [project_id as string, left_e8 as bigint]),
    ),
  };
}
