/**
 * Nodes: processes that use one database at the same time, each by a session of its own.
 *
 * @module
 */

import type { NodeView } from "../../domain/node_view.ts";
import type { SessionId } from "../../domain/session.ts";

/** What a node hears of the others. */
export interface NodeListener {
  /** Sessions have ended by their silence: what they have left is this node's to go on with. */
  readonly onEnded?: (sessions: readonly SessionId[]) => void;
  /** Others need what this node has leased of these projects' balances. */
  readonly onWanted?: (projectIds: readonly string[]) => void;
}

/** The nodes, as one of them sees them. */
export interface Nodes {
  /** From 0 to 255: no other that lives has the same. */
  readonly slot: number;
  /** How many live, this one too. */
  readonly count: number;
  /** Whether a session will write nothing any more. */
  hasEnded(session: SessionId): boolean;
  /** All that live, as the database has them now, in the order in which they began. */
  list(): Promise<readonly NodeView[]>;
  /** One listener at a time. */
  follow(listener: NodeListener): void;
}
