/**
 * Nodes: processes that use one database at the same time, each by a session of its own.
 *
 * @module
 */

import type { NodeView } from "../../domain/node_view.ts";
import type { SessionId } from "../../domain/session.ts";

/** What sessions have left that have ended, and one node goes on with. */
export interface Left {
  /** Their calls and answers are open yet. */
  readonly sessions: readonly SessionId[];
  /** Whether films may have become this node's that it does not know. */
  readonly hasFilms: boolean;
}

/** What a node hears of the others. */
export interface NodeListener {
  /** This node has found that sessions have ended by their silence. */
  readonly onEnded?: (sessions: readonly SessionId[]) => void;
  /** Something is this node's to go on with; of calls and answers that stay open it hears again. */
  readonly onLeft?: (left: Left) => void;
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
