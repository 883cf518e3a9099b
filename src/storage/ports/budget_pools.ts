/**
 * Budgets that several nodes share: of each, every node has a share, which is what its calls under way
 * may cost, what it has spent that the hourly sums do not have yet, and what it may begin calls with.
 * What is left of a budget is what the sums and all shares leave of it.
 *
 * @module
 */

import type { SpendPeriod } from "../../domain/budgets.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { SpendScope } from "../../domain/spending.ts";

/** What a node says of its share of one budget in one period, and asks for. */
export interface BudgetAsk {
  readonly kind: SpendPeriod;
  readonly scope: SpendScope;
  readonly id: string;
  /** See `periodOf`. */
  readonly period: number;
  /** The period's first hour, since the epoch, and the first one behind it. */
  readonly fromHour: number;
  readonly beforeHour: number;
  /** The whole budget, as this node knows it, with what is forgiven of the period. */
  readonly mostE8: AmountE8;
  /** The share that it has from now on, whatever is answered: less than before gives the rest back. */
  readonly holdsE8: AmountE8;
  /** On top of that, what its first waiting call needs; 0 when none waits. Less is of no use to it. */
  readonly needE8: AmountE8;
  /** What all its waiting calls need. */
  readonly lackE8: AmountE8;
  /** What it would like with that, for the calls to come: no more than a part is given for these. */
  readonly wishE8: AmountE8;
  /** Whether it wants to know what is spent, where nothing else is asked. */
  readonly readsSum: boolean;
}

/** What a node is told of it. */
export interface BudgetAnswer {
  /** The node's share. */
  readonly holdsE8: AmountE8;
  /** The shares of all others. */
  readonly elsewhereE8: AmountE8;
  /** What the hourly sums have of the period; absent where it was not read. */
  readonly spentE8?: AmountE8 | undefined;
  /** Whether somebody has asked lately for what was not there: spare shares are of use elsewhere. */
  readonly isWanted: boolean;
}

/** What a key has spent in an hour that the hourly sums do not have yet. */
export interface UnsummedSpend {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly projectId: string;
  readonly keyId: string;
  readonly spentE8: AmountE8;
}

/** All budgets, as this node shares them with others. */
export interface BudgetPools {
  /**
   * Answers each ask, in their order. While anything is left of a budget, a call gets what it needs of
   * it, also if that is more than is left: together the nodes spend less than one call too much. A
   * share of a session that has ended counts until the sums have all that it has spent.
   */
  exchange(asks: readonly BudgetAsk[]): Promise<readonly BudgetAnswer[]>;
  /** What this node has stored that the hourly sums do not have; `undefined` while that is not known. */
  unsummed(): readonly UnsummedSpend[] | undefined;
}
