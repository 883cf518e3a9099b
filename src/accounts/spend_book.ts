/**
 * The owner of all budgets and spend brakes: knows what every project and key has
 * spent and may yet spend for calls under way, and decides in memory, beside the
 * hold, whether another call may begin.
 *
 * Storage adds up the same calls by hour in the entries that close them, so that
 * after any crash the sums here are those of the calls that are settled.
 *
 * @module
 */

import {
  BUDGETED_PERIODS,
  type Budgets,
  firstHourOf,
  hasBudget,
  hourOf,
  periodOf,
  SPEND_PERIODS,
  type SpendPeriod,
} from "../domain/budgets.ts";
import type { ClosedCall, OpenCall } from "../domain/call.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { SpendPause, SpendScope, SpendState, SpendSubject } from "../domain/spending.ts";
import { spentE8 } from "../domain/spending.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { SpendStore } from "../storage/ports/storage.ts";
import type { KeyDirectory } from "./key_directory.ts";
import { type BudgetNeed, BudgetShares, type BudgetSharesOptions } from "./budget_shares.ts";
import { type BudgetWaits, leaseBudgets } from "./lease_budgets.ts";
import {
  budgetReached,
  pausedByBrake,
  type ReachedBudget,
  ShareTooSmall,
} from "./spend_refusal.ts";
import { Reserve, reservedE8, type SpendReserve } from "./spend_reserve.ts";
import { Spender, usualHours } from "./spender.ts";

/** What the book works with. */
export interface SpendBookOptions {
  readonly directory: Pick<KeyDirectory, "project" | "key" | "projects" | "keys">;
  readonly spending: SpendStore;
  readonly commits: CommitQueue;
  readonly now: () => number;
  /** Told once of each pause, for the operator's log. */
  readonly onPause: (subject: SpendSubject, pause: SpendPause) => void;
  /** Told when storage fails at what was decided here. */
  readonly onTrouble: (message: string) => void;
}

/** What is told of a project's or key's spending. */
export interface SpendView {
  readonly hourE8: AmountE8;
  readonly dayE8: AmountE8;
  readonly monthE8: AmountE8;
  /** What calls under way may cost. */
  readonly openE8: AmountE8;
  readonly pause: SpendPause | undefined;
  /** The budgets that are reached. */
  readonly reached: readonly ("day" | "month")[];
}

export class SpendBook {
  readonly #options: SpendBookOptions;
  readonly #spenders: { readonly [scope in SpendScope]: Map<string, Spender> } = {
    project: new Map(),
    key: new Map(),
  };
  /** Those whose usual hour is being asked for. */
  readonly #learning = new Set<Spender>();
  /** Where several nodes share the budgets. */
  #shared: { readonly shares: BudgetShares; readonly waits: BudgetWaits } | undefined;
  readonly #hasRoom = (spender: Spender, ownE8: AmountE8, moreE8: AmountE8) =>
    this.#shared === undefined
      ? this.#reached(spender, ownE8).length === 0
      : this.#shared.shares.shortOf(spender, moreE8).length === 0;

  constructor(options: SpendBookOptions) {
    this.#options = options;
  }

  /** Takes over what is stored. Once, before the first call. */
  async load(): Promise<void> {
    const { spending, directory, now } = this.#options;
    const hour = hourOf(now());
    for (const [spender, sums] of await this.#sums(hour)) spender.restore(sums);
    for (const { scope, id, pause, forgiven } of await spending.states()) {
      Object.assign(this.#spender(scope, id), { pause, forgiven });
    }
    const braked = (scope: SpendScope) =>
      (scope === "project" ? directory.projects() : directory.keys())
        .filter(({ budgets }) => budgets.brakeTimes !== undefined)
        .map(({ id }) => this.#spender(scope, id));
    for (const scope of ["project", "key"] as const) await this.#learn(scope, braked(scope));
  }

  /**
   * Admits by this node's shares of budgets from now on, where several nodes share these.
   *
   * @param keep Begins to exchange shares with the others.
   */
  shareAmongNodes(
    { monotonic, unsummed, keep }: Pick<BudgetSharesOptions, "monotonic" | "unsummed"> & {
      readonly keep: (shares: BudgetShares) => BudgetWaits;
    },
  ): void {
    const shares = new BudgetShares({
      ...{ monotonic, unsummed, now: this.#options.now },
      budgetsOf: (spender) => this.#budgetsOf(spender),
      onTold: (spender) => this.#brake(spender),
    });
    this.#shared = { shares, waits: keep(shares) };
    for (const spenders of Object.values(this.#spenders)) {
      for (const spender of spenders.values()) shares.watch(spender);
    }
  }

  /** Learns what all nodes have spent, where several share the budgets. */
  async refresh(): Promise<void> {
    if (this.#shared === undefined) return;
    const hour = hourOf(this.#options.now());
    for (const [spender, sums] of await this.#sums(hour)) {
      for (const period of SPEND_PERIODS) {
        this.#shared.shares.tell(spender, { period, number: periodOf(period, hour) }, sums[period]);
      }
    }
  }

  /**
   * Has this node's shares of budgets enlarged, where several share these, for a call that was refused
   * as they were too small.
   *
   * @returns What it gets is kept for it until it calls this; `undefined` where it gets nothing.
   */
  lease({ needs }: ShareTooSmall): Promise<(() => void) | undefined> {
    const { waits } = this.#shared!;
    return leaseBudgets(needs, { waits, monotonic: this.#shared!.shares.monotonic });
  }

  /**
   * Whether a call may begin.
   *
   * @throws {GatewayError} `insufficient_balance`, which says of whom which budget is
   * reached, or that a brake has paused it; {@linkcode ShareTooSmall} where it may be worth while to
   * ask other nodes first.
   */
  admit(call: Pick<OpenCall, "projectId" | "keyId"> & Partial<OpenCall>): void {
    const { directory } = this.#options;
    const { projectId, keyId } = call;
    const project = { scope: "project", id: projectId } as const;
    const key = { scope: "key", id: keyId } as const;
    this.#check(project, directory.project(projectId)?.budgets);
    this.#check(key, directory.key(keyId)?.budgets);
    if (this.#shared === undefined) return;
    const amountE8 = call.reservedE8 ?? call.heldE8 ?? 0n;
    const needs = this.#spendersOf(call).flatMap((spender) =>
      this.#shared!.shares.shortOf(spender, amountE8)
    );
    if (needs.length > 0) throw this.#tooSmall(needs);
  }

  /** Counts a call that begins. */
  reserve(call: OpenCall): SpendReserve {
    const { projectId, keyId } = call;
    const spenders = [this.#spender("project", projectId), this.#spender("key", keyId)];
    for (const spender of spenders) this.#shared?.shares.watch(spender);
    return new Reserve(spenders, { amountE8: reservedE8(call), hasRoom: this.#hasRoom });
  }

  /** Counts what a call has spent, and pulls the brake where that was too much. */
  add(closed: ClosedCall): void {
    const amountE8 = spentE8(closed);
    if (amountE8 === 0n) return;
    const hour = hourOf(closed.closedAt);
    for (const spender of this.#spendersOf(closed)) {
      spender.add(amountE8, hour);
      this.#shared?.shares.add(spender, amountE8, hour);
      this.#brake(spender);
    }
  }

  /** What {@linkcode SpendBook.add} has counted is written. */
  written(closed: ClosedCall): void {
    if (this.#shared === undefined) return;
    const amountE8 = spentE8(closed);
    if (amountE8 === 0n) return;
    for (const spender of this.#spendersOf(closed)) {
      this.#shared.shares.written(spender, amountE8, hourOf(closed.closedAt));
    }
  }

  /** Takes back what {@linkcode SpendBook.add} has counted: the call could not be written. */
  takeBack(closed: ClosedCall): void {
    const amountE8 = spentE8(closed);
    if (amountE8 === 0n) return;
    const hour = hourOf(closed.closedAt);
    for (const spender of this.#spendersOf(closed)) {
      spender.takeBack(amountE8, hour);
      this.#shared?.shares.takeBack(spender, amountE8, hour);
    }
  }

  /** A key is deleted: of what it spends only its project's share is of interest. */
  forgetKey(keyId: string): void {
    this.#spenders.key.delete(keyId);
  }

  /** What a subject has spent, and what stops it. */
  view({ scope, id }: SpendSubject): SpendView {
    const hour = hourOf(this.#options.now());
    const spender = this.#spenders[scope].get(id) ?? new Spender({ scope, id }, hour);
    return {
      hourE8: spender.spentE8("hour", hour),
      dayE8: spender.spentE8("day", hour),
      monthE8: spender.spentE8("month", hour),
      openE8: spender.openE8,
      pause: spender.pause,
      reached: this.#reached(spender).map(({ period }) => period),
    };
  }

  /**
   * Lets a subject go on: without its pause, and in the periods that stop it with nothing
   * spent yet. Does nothing when nothing stops it.
   *
   * @param write Stores what that means; it is live when this resolves.
   * @returns Whether anything has stopped it. Throws what `write` throws.
   */
  async resume(
    subject: SpendSubject,
    write: (state: SpendState) => Promise<unknown>,
  ): Promise<boolean> {
    await this.refresh();
    const { pause, reached } = this.view(subject);
    if (pause === undefined && reached.length === 0) return false;
    const spender = this.#spender(subject.scope, subject.id);
    const state = spender.resumed(hourOf(this.#options.now()), reached);
    await write(state);
    spender.forgiven = state.forgiven;
    if (spender.pause === pause) spender.pause = undefined;
    // The brake was pulled meanwhile, and stored without what is forgiven.
    else this.#store(spender);
    return true;
  }

  /** Makes a state live that is stored. */
  put({ scope, id, pause, forgiven }: SpendState): void {
    Object.assign(this.#spender(scope, id), { pause, forgiven });
  }

  #check(subject: SpendSubject, budgets: Budgets | undefined): void {
    const spender = this.#spenders[subject.scope].get(subject.id);
    if (spender === undefined) return;
    if (spender.pause !== undefined) throw pausedByBrake(subject, spender.pause);
    if (budgets === undefined || !hasBudget(budgets)) return;
    const [reached] = this.#reached(spender);
    if (reached === undefined) return;
    // What calls under way may cost can come back, and who has it may be another node.
    if (this.#shared === undefined || reached.spentE8 >= reached.budgetE8) {
      throw budgetReached(subject, reached);
    }
  }

  /** Why a call may not begin unless other nodes have something to spare. */
  #tooSmall(needs: readonly BudgetNeed[]): ShareTooSmall {
    const { spender, period: reached } = needs[0]!.share;
    const hour = hourOf(this.#options.now());
    const { period, budgetOf } = BUDGETED_PERIODS.find((one) => one.period === reached)!;
    return new ShareTooSmall(spender, {
      ...{ period, hour, budgetE8: budgetOf(this.#budgetsOf(spender)!)! },
      spentE8: spender.spentE8(period, hour),
      openE8: this.#openE8(spender, period),
    }, needs);
  }

  /** On all nodes. */
  #openE8(spender: Spender, period: SpendPeriod): AmountE8 {
    return spender.openE8 + (this.#shared?.shares.elsewhereE8(spender, period) ?? 0n);
  }

  /** The budgets that are reached, also when `ownE8` of what is open does not count. */
  #reached(spender: Spender, ownE8 = 0n): readonly ReachedBudget[] {
    const budgets = this.#budgetsOf(spender);
    if (budgets === undefined || !hasBudget(budgets)) return [];
    const hour = hourOf(this.#options.now());
    return BUDGETED_PERIODS.flatMap(({ period, budgetOf }) => {
      const budgetE8 = budgetOf(budgets);
      const openE8 = this.#openE8(spender, period) - ownE8;
      const spentE8 = spender.spentE8(period, hour);
      if (budgetE8 === undefined || spentE8 + openE8 < budgetE8) return [];
      return [{ period, budgetE8, spentE8, openE8, hour }];
    });
  }

  /** Pauses a subject that spends too fast. */
  #brake(spender: Spender): void {
    const budgets = this.#budgetsOf(spender);
    if (budgets?.brakeTimes === undefined || spender.pause !== undefined) return;
    if (!spender.knowsUsual) {
      this.#learnSoon(spender);
      return;
    }
    const pause = spender.tooFast(budgets, this.#options.now());
    if (pause === undefined) return;
    spender.pause = pause;
    this.#options.onPause(spender, pause);
    this.#store(spender);
  }

  #store(spender: Spender): void {
    const { commits, onTrouble } = this.#options;
    commits.enqueue({ kind: "put_spend_state", state: spender.state({}) }, (result) => {
      if (!result.ok) onTrouble(result.message);
    });
  }

  /** A brake that was set while calls are served. */
  #learnSoon(spender: Spender): void {
    if (this.#learning.has(spender)) return;
    this.#learning.add(spender);
    this.#learn(spender.scope, [spender])
      .catch((error) => this.#options.onTrouble(String(error)))
      .finally(() => this.#learning.delete(spender));
  }

  /** Asks what earlier hours have cost, and pulls the brakes where that says so. */
  async #learn(scope: SpendScope, spenders: readonly Spender[]): Promise<void> {
    if (spenders.length === 0) return;
    const { commits, spending, now } = this.#options;
    const hours = new Map<string, (readonly [number, AmountE8])[]>();
    // Where an hour ends meanwhile, what is missing of it is asked for again.
    for (let hour = NaN; hour !== hourOf(now());) {
      hour = hourOf(now());
      await commits.flush();
      hours.clear();
      const ids = spenders.map(({ id }) => id);
      for (const found of await spending.history({ scope, ids, ...usualHours(hour) })) {
        const known = hours.get(found.id) ?? [];
        known.push([found.hour, found.spentE8]);
        hours.set(found.id, known);
      }
    }
    for (const spender of spenders) {
      spender.learn(hours.get(spender.id) ?? []);
      this.#brake(spender);
    }
  }

  #budgetsOf({ scope, id }: SpendSubject): Budgets | undefined {
    const { directory } = this.#options;
    return (scope === "project" ? directory.project(id) : directory.key(id))?.budgets;
  }

  /** What each has spent in the running periods. */
  async #sums(hour: number): Promise<Map<Spender, { [period in SpendPeriod]: AmountE8 }>> {
    const { spending, directory } = this.#options;
    const [day, month] = (["day", "month"] as const).map((period) =>
      firstHourOf(period, periodOf(period, hour))
    ) as [number, number];
    const found = new Map<Spender, { [period in SpendPeriod]: AmountE8 }>();
    for (const sums of await spending.sums({ hour, day, month })) {
      const spenders = [this.#spender("project", sums.projectId, hour)];
      if (directory.key(sums.keyId) !== undefined) {
        spenders.push(this.#spender("key", sums.keyId, hour));
      }
      for (const spender of spenders) {
        const before = found.get(spender) ?? { hour: 0n, day: 0n, month: 0n };
        found.set(spender, {
          hour: before.hour + sums.hourE8,
          day: before.day + sums.dayE8,
          month: before.month + sums.monthE8,
        });
      }
    }
    return found;
  }

  /** Whom a call that ended is added to: not to a key that is deleted. */
  #spendersOf({ projectId, keyId }: Pick<OpenCall, "projectId" | "keyId">): readonly Spender[] {
    const project = this.#spender("project", projectId);
    if (this.#options.directory.key(keyId) === undefined) return [project];
    return [project, this.#spender("key", keyId)];
  }

  #spender(scope: SpendScope, id: string, hour = hourOf(this.#options.now())): Spender {
    const spenders = this.#spenders[scope];
    let spender = spenders.get(id);
    if (spender === undefined) {
      spender = new Spender({ scope, id }, hour);
      spenders.set(id, spender);
    }
    return spender;
  }
}
