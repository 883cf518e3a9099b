/**
 * This node's share of one budget in one period, where several nodes share it: no call begins here by
 * more. It covers what calls under way may cost and what is spent here that the hourly sums do not have
 * yet; what these have is nobody's share any more.
 *
 * @module
 */

import { firstHourOf, type SpendPeriod } from "../domain/budgets.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { BudgetAnswer, BudgetAsk } from "../storage/ports/budget_pools.ts";
import type { Spender } from "./spender.ts";
import type { HourRange, UnsummedHours } from "./unsummed_spend.ts";
import { Wish } from "./wish.ts";

/** What nothing was taken from for so long goes back. */
const IDLE_MS = 2_000;
/** Who was refused asks again after this. */
const REFUSED_MS = 50;

/** Whose share it is, of what. */
export interface BudgetShareOptions {
  readonly spender: Spender;
  readonly unsummed: UnsummedHours;
  readonly period: SpendPeriod;
  /** See `periodOf`. */
  readonly number: number;
}

export class BudgetShare {
  readonly spender: Spender;
  readonly period: SpendPeriod;
  readonly number: number;
  readonly range: HourRange;
  /** The whole budget with what is forgiven, as it was known last. */
  mostE8: AmountE8 = 0n;
  /** What others have of it, as it was told last. */
  elsewhereE8: AmountE8 = 0n;
  /** When a call was found to need more than all nodes have, monotonic milliseconds. */
  refusedAtMs = -Infinity;
  /** When it was told of last. */
  answeredAtMs = -Infinity;
  readonly #unsummed: UnsummedHours;
  #amountE8: AmountE8 = 0n;
  /** What others know of it, never less than it is; `undefined` after an exchange of which nothing was heard. */
  #toldE8: AmountE8 | undefined = 0n;
  /** Given to calls that have not taken it yet. */
  #promisedE8: AmountE8 = 0n;
  #isWanted = false;
  /** Whether nothing was asked of it last. */
  #isLookedAt = false;
  readonly #wish = new Wish();
  #usedAtMs = -Infinity;
  #notBeforeMs = -Infinity;
  /** What the first call that waits needs, and all of them together. */
  #firstE8: AmountE8 = 0n;
  #allE8: AmountE8 = 0n;

  constructor({ spender, unsummed, period, number }: BudgetShareOptions) {
    this.spender = spender;
    this.#unsummed = unsummed;
    this.period = period;
    this.number = number;
    this.range = {
      fromHour: firstHourOf(period, number),
      beforeHour: firstHourOf(period, number + 1),
    };
  }

  /** Whether others count it. */
  get isEmpty(): boolean {
    return this.#toldE8 === 0n;
  }

  /** Whether a call of this amount may begin. */
  fits(amountE8: AmountE8): boolean {
    return this.#usedE8 + this.#promisedE8 + amountE8 <= this.#amountE8;
  }

  /** Notes that a call begins: the share stays here. */
  use(nowMs: number): void {
    this.#usedAtMs = nowMs;
  }

  /** Keeps an amount for a call that is about to take it. */
  promise(amountE8: AmountE8): void {
    this.#promisedE8 += amountE8;
  }

  /** The sums have so much of what it covered. */
  shrink(byE8: AmountE8): void {
    if (byE8 > 0n) this.#amountE8 -= byE8;
  }

  forgetWaiting(): void {
    this.#firstE8 = this.#allE8 = 0n;
  }

  /** Counts a call that waits, behind those before it. */
  wait(amountE8: AmountE8): void {
    if (this.#allE8 === 0n) this.#firstE8 = amountE8;
    this.#allE8 += amountE8;
  }

  /** When a call that waits may be asked for next; `undefined` where none does. */
  get urgentAtMs(): number | undefined {
    return this.#allE8 > 0n ? this.#notBeforeMs : undefined;
  }

  /** What is to be asked for calls that wait, as soon as it may be. */
  urgentAsk(nowMs: number): BudgetAsk | undefined {
    if (this.#allE8 === 0n || nowMs < this.#notBeforeMs) return undefined;
    // Asked for or not: there is nothing to be asked again at once.
    this.#notBeforeMs = nowMs + REFUSED_MS;
    return this.fits(this.#firstE8) ? undefined : this.#askForMore(nowMs);
  }

  /** What is to be said and asked now and then. */
  ask(nowMs: number): BudgetAsk | undefined {
    if (this.#allE8 > 0n) return this.#askForMore(nowMs);
    const needsE8 = this.#usedE8 + this.#promisedE8;
    const told = this.#toldE8;
    if (told === undefined || told < needsE8) return this.#say(needsE8);
    if (told === needsE8) return undefined;
    const isIdle = nowMs - this.#usedAtMs >= IDLE_MS;
    if (this.#isWanted || isIdle) return this.#say(needsE8);
    // Does anybody want it?
    this.#isLookedAt = true;
    return this.#asked({ holdsE8: told });
  }

  /** Asks what the period costs. */
  askForSum(): BudgetAsk {
    return { ...this.#asked({ holdsE8: 0n }), readsSum: true };
  }

  /** Gives all of it back: the period is over, or the budget is no more. */
  giveUp(): BudgetAsk {
    this.mostE8 = 0n;
    return this.#say(0n);
  }

  /** Takes in what was answered; says whether spare shares are news to be wanted. */
  put({ needE8, holdsE8: askedE8 }: BudgetAsk, answer: BudgetAnswer, nowMs: number): boolean {
    const { holdsE8, elsewhereE8, isWanted } = answer;
    if (!this.#isLookedAt) this.#amountE8 = holdsE8;
    this.#toldE8 = holdsE8;
    this.elsewhereE8 = elsewhereE8;
    this.answeredAtMs = nowMs;
    if (holdsE8 - askedE8 < needE8) this.refusedAtMs = nowMs;
    this.#notBeforeMs = nowMs + (holdsE8 - askedE8 < needE8 ? REFUSED_MS : 0);
    const isNews = isWanted && !this.#isWanted;
    this.#isWanted = isWanted;
    return isNews;
  }

  /** An exchange was lost: nobody knows whether others have heard of it. */
  doubt(): void {
    this.#toldE8 = undefined;
  }

  get #usedE8(): AmountE8 {
    return this.spender.openE8 + this.#unsummed.within(this.range);
  }

  #askForMore(nowMs: number): BudgetAsk {
    const needE8 = this.#firstE8;
    const wishE8 = this.#wish.next(needE8, this.#allE8, nowMs);
    return {
      ...this.#say(this.#usedE8 + this.#promisedE8),
      ...{ needE8, lackE8: this.#allE8 },
      wishE8: this.#isWanted ? this.#allE8 : wishE8,
    };
  }

  /** From now on this is all that there is here, until it is answered. */
  #say(holdsE8: AmountE8): BudgetAsk {
    this.#amountE8 = holdsE8;
    this.#isLookedAt = false;
    return this.#asked({ holdsE8 });
  }

  #asked({ holdsE8 }: Pick<BudgetAsk, "holdsE8">): BudgetAsk {
    const { period: kind, number: period, range, mostE8, spender: { scope, id } } = this;
    const nothing = { needE8: 0n, lackE8: 0n, wishE8: 0n, readsSum: false };
    return { ...{ kind, scope, id, period, ...range, mostE8, holdsE8 }, ...nothing };
  }
}
