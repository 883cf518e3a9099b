/**
 * Limits that several nodes share: of each, every node has a share, and admits by that alone. What a
 * share is not made of is in the limit's pool. All shares together are never more than the limit.
 *
 * @module
 */

/** What is limited. */
export type ShareKind = "requests" | "tokens" | "concurrent";

/** Whose limit it is. */
export type ShareScope = "project" | "key" | "route";

/** One limit of somebody. */
export interface ShareName {
  readonly kind: ShareKind;
  readonly scope: ShareScope;
  readonly id: string;
}

/** What a node says of its share, and asks for. Amounts are whole numbers of what is limited. */
export interface ShareAsk extends ShareName {
  /** The whole limit, as this node knows it. */
  readonly most: number;
  /** The share that it has from now on, whatever is answered: less than before gives the rest back. */
  readonly holds: number;
  /** On top of that, what its first waiting call lacks; 0 when none waits. Less is of no use to it. */
  readonly need: number;
  /** What all its waiting calls lack, and what is owed: given as far as it is there. */
  readonly lack: number;
  /** What it would like for the calls to come: no more than a part of the pool is given for that. */
  readonly wish: number;
}

/** What a node is told of it. */
export interface ShareAnswer {
  /** The node's share. */
  readonly holds: number;
  /** What is in the pool then; below 0 where the limit was lowered and shares are still to be given back. */
  readonly free: number;
  /** Whether somebody has asked lately for what was not there: spare shares are of use elsewhere. */
  readonly isWanted: boolean;
}

/** The pools of all limits. */
export interface SharePools {
  /**
   * Answers each ask, in their order. A node has one exchange under way at a time. Where it rejects, the
   * node has the shares that it said it has; what was given all the same comes back with the next one.
   */
  exchange(asks: readonly ShareAsk[]): Promise<readonly ShareAnswer[]>;
}
