/**
 * Budgets that several nodes share: whether this node's share of each covers a call, and what is to be
 * asked of the others, who learn by it what is needed here. Nothing here waits.
 *
 * @module
 */

import {
  BUDGETED_PERIODS,
  type Budgets,
  hasBudget,
  hourOf,
  periodOf,
  type SpendPeriod,
} from "../domain/budgets.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { BudgetAnswer, BudgetAsk, BudgetPools } from "../storage/ports/budget_pools.ts";
import { BudgetShare } from "./budget_share.ts";
import type { Spender } from "./spender.ts";
import { bySubject, type StoredSpend, UnsummedHours } from "./unsummed_spend.ts";

/** What they need. */
export interface BudgetSharesOptions {
  readonly now: () => number;
  /** Milliseconds that never go backwards. */
  readonly monotonic: () => number;
  readonly budgetsOf: (spender: Spender) => Budgets | undefined;
  readonly unsummed: BudgetPools["unsummed"];
  /** Told what a subject has spent on all nodes: too much, perhaps. */
  readonly onTold: (spender: Spender) => void;
}

/** What a call needs of a share that does not cover it. */
export interface BudgetNeed {
  readonly share: BudgetShare;
  readonly amountE8: AmountE8;
}

/** What a node has of one project's or key's budgets. */
interface Subject {
  readonly spender: Spender;
  readonly unsummed: UnsummedHours;
  readonly shares: Map<SpendPeriod, BudgetShare>;
  /** Whether anything was spent here since it was asked what all have spent in the hour, and when. */
  hasSpent: boolean;
  readAtMs: number;
  /** When it was of concern last. */
  usedAtMs: number;
}

/** Whoever waits for a share has given up long before. */
const REMEMBERED_MS = 60_000;

/** How often it is asked what the others have spent of an hour that a brake watches. */
const READ_MS = 1_000;
const NONE: readonly BudgetNeed[] = [];

export class BudgetShares {
  readonly #options: BudgetSharesOptions;
  readonly #subjects: Map<Spender, Subject> = new Map();
  /** Of periods that are over, and of budgets that are no more. */
  readonly #over: Set<BudgetShare> = new Set();
  /** What was asked and is not answered. */
  readonly #asked: Map<BudgetAsk, BudgetShare> = new Map();
  #waitedFor: ReadonlySet<BudgetShare> = new Set();

  constructor(options: BudgetSharesOptions) {
    this.#options = options;
  }

  /** Of which budgets too little is this node's for a call of so much; of none where it may begin. */
  shortOf(spender: Spender, amountE8: AmountE8): readonly BudgetNeed[] {
    const budgets = this.#options.budgetsOf(spender);
    if (budgets === undefined || !hasBudget(budgets)) return NONE;
    const subject = this.#of(spender);
    // Also who costs nothing begins only while something is left.
    const needE8 = amountE8 > 0n ? amountE8 : 1n;
    const needs: BudgetNeed[] = [];
    for (const share of this.#sharesOf(subject, budgets)) {
      share.use(this.#options.monotonic());
      if (!share.fits(needE8)) needs.push({ share, amountE8: needE8 });
    }
    return needs;
  }

  /** Counts what a call has spent that is about to be written. */
  add(spender: Spender, amountE8: AmountE8, hour: number): void {
    const subject = this.#of(spender);
    subject.unsummed.add(amountE8, hour);
    subject.hasSpent = true;
  }

  /** What was added is written. */
  written(spender: Spender, amountE8: AmountE8, hour: number): void {
    this.#of(spender).unsummed.written(amountE8, hour);
  }

  /** What was added cannot be written. */
  takeBack(spender: Spender, amountE8: AmountE8, hour: number): void {
    this.#of(spender).unsummed.takeBack(amountE8, hour);
  }

  /** What other nodes have of a running budget, as was told last: what calls may cost there. */
  elsewhereE8(spender: Spender, period: SpendPeriod): AmountE8 {
    return this.#subjects.get(spender)?.shares.get(period)?.elsewhereE8 ?? 0n;
  }

  /** Tells a subject what all have spent in a period, given what the sums have. */
  tell(
    spender: Spender,
    { period, number }: Pick<BudgetShare, "period" | "number">,
    summedE8: AmountE8,
  ): void {
    const { unsummed } = this.#of(spender);
    this.#tell(new BudgetShare({ spender, unsummed, period, number }), summedE8, this.#stored());
  }

  /** Counts what its calls under way may cost from now on. */
  watch(spender: Spender): void {
    this.#of(spender);
  }

  /** Milliseconds that never go backwards. */
  get monotonic(): () => number {
    return this.#options.monotonic;
  }

  urgentAsks(waiting: Iterable<readonly BudgetNeed[]>): readonly BudgetAsk[] {
    const nowMs = this.#begin(waiting);
    return this.#asksOf([...this.#waitedFor].flatMap((share) => {
      const ask = share.urgentAsk(nowMs);
      return ask === undefined ? [] : [[ask, share]];
    }));
  }

  asks(waiting: Iterable<readonly BudgetNeed[]>): readonly BudgetAsk[] {
    const nowMs = this.#begin(waiting);
    const asks: (readonly [BudgetAsk, BudgetShare])[] = [];
    for (const subject of this.#subjects.values()) {
      const budgets = this.#options.budgetsOf(subject.spender) ?? {};
      const current = this.#sharesOf(subject, budgets);
      for (const share of current) {
        const ask = share.ask(nowMs);
        if (ask !== undefined) asks.push([ask, share]);
      }
      if (budgets.brakeTimes !== undefined && this.#isToBeRead(subject, nowMs)) {
        const hour = this.#shareOf(subject, "hour", hourOf(this.#options.now()));
        asks.push([hour.askForSum(), hour]);
      }
      const isOver = current.every(({ isEmpty }) => isEmpty) && subject.unsummed.isEmpty &&
        subject.spender.openE8 === 0n && nowMs - subject.usedAtMs > REMEMBERED_MS;
      if (isOver) this.#subjects.delete(subject.spender);
    }
    for (const share of this.#over) asks.push([share.giveUp(), share]);
    return this.#asksOf(asks);
  }

  get urgentAtMs(): number | undefined {
    const times = [...this.#waitedFor].flatMap(({ urgentAtMs }) => urgentAtMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  put(asks: readonly BudgetAsk[], answers: readonly BudgetAnswer[]): boolean {
    const nowMs = this.#options.monotonic();
    const stored = this.#stored();
    let isNews = false;
    for (const [index, ask] of asks.entries()) {
      const share = this.#asked.get(ask)!;
      const { spentE8 } = answers[index]!;
      if (share.put(ask, answers[index]!, nowMs)) isNews = true;
      if (share.isEmpty) this.#over.delete(share);
      // Its period may have ended meanwhile.
      else if (!this.#isCurrent(share)) this.#over.add(share);
      if (spentE8 !== undefined) this.#tell(share, spentE8, stored);
    }
    this.#asked.clear();
    return isNews;
  }

  /** Before anything is asked: an exchange is over, what the sums have is known, and who waits. */
  #begin(waiting: Iterable<readonly BudgetNeed[]>): number {
    for (const share of this.#asked.values()) share.doubt();
    this.#asked.clear();
    this.#learn();
    for (const share of this.#waitedFor) share.forgetWaiting();
    const waitedFor = new Set<BudgetShare>();
    for (const needs of waiting) {
      for (const { share, amountE8 } of needs) {
        waitedFor.add(share);
        share.wait(amountE8);
      }
    }
    this.#waitedFor = waitedFor;
    return this.#options.monotonic();
  }

  #learn(): void {
    const stored = this.#stored();
    // Until it is known, what was counted counts.
    if (stored === undefined) return;
    for (const { spender: { scope, id }, unsummed, shares } of this.#subjects.values()) {
      const before = [...shares.values()].map((share) => unsummed.within(share.range));
      unsummed.learn(stored[scope].get(id));
      for (const [index, share] of [...shares.values()].entries()) {
        share.shrink(before[index]! - unsummed.within(share.range));
      }
    }
  }

  #stored(): StoredSpend | undefined {
    const rows = this.#options.unsummed();
    return rows && bySubject(rows);
  }

  #tell(
    { spender, period, number, range }: BudgetShare,
    summedE8: AmountE8,
    stored: StoredSpend | undefined,
  ): void {
    if (stored === undefined) return;
    const { unsummed } = this.#of(spender);
    const own = unsummed.withStored(stored[spender.scope].get(spender.id), range);
    spender.tell(period, number, summedE8 + own);
    this.#options.onTold(spender);
  }

  #isToBeRead(subject: Subject, nowMs: number): boolean {
    if (!subject.hasSpent || nowMs - subject.readAtMs < READ_MS) return false;
    subject.hasSpent = false;
    subject.readAtMs = nowMs;
    return true;
  }

  #asksOf(asks: readonly (readonly [BudgetAsk, BudgetShare])[]): readonly BudgetAsk[] {
    for (const [ask, share] of asks) this.#asked.set(ask, share);
    return asks.map(([ask]) => ask);
  }

  /** Of the budgets that are set, in the periods that run; others are given back. */
  #sharesOf(subject: Subject, budgets: Budgets): readonly BudgetShare[] {
    const hour = hourOf(this.#options.now());
    const { spender, shares } = subject;
    return BUDGETED_PERIODS.flatMap(({ period, budgetOf }) => {
      const budgetE8 = budgetOf(budgets);
      const number = periodOf(period, hour);
      if (budgetE8 === undefined) {
        const share = shares.get(period);
        if (share !== undefined) this.#end(subject, share);
        return [];
      }
      const share = this.#shareOf(subject, period, number);
      share.mostE8 = budgetE8 + spender.forgivenE8(period, number);
      return [share];
    });
  }

  #shareOf(subject: Subject, period: SpendPeriod, number: number): BudgetShare {
    const known = subject.shares.get(period);
    if (known?.number === number) return known;
    if (known !== undefined) this.#end(subject, known);
    const { spender, unsummed } = subject;
    const share = new BudgetShare({ spender, unsummed, period, number });
    subject.shares.set(period, share);
    return share;
  }

  #isCurrent(share: BudgetShare): boolean {
    return this.#subjects.get(share.spender)?.shares.get(share.period) === share;
  }

  #end({ shares }: Subject, share: BudgetShare): void {
    shares.delete(share.period);
    if (!share.isEmpty) this.#over.add(share);
  }

  #of(spender: Spender): Subject {
    let subject = this.#subjects.get(spender);
    if (subject === undefined) {
      subject = {
        ...{ spender, unsummed: new UnsummedHours(), shares: new Map() },
        ...{ hasSpent: false, readAtMs: -Infinity, usedAtMs: 0 },
      };
      this.#subjects.set(spender, subject);
    }
    subject.usedAtMs = this.#options.monotonic();
    return subject;
  }
}
