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
  type Budgets,
  firstHourOf,
  hasBudget,
  hourOf,
  periodOf,
  SPEND_PERIODS,
} from "../domain/budgets.ts";
import type { ClosedCall, OpenCall } from "../domain/call.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { SpendPause, SpendScope, SpendState, SpendSubject } from "../domain/spending.ts";
import { spentE8 } from "../domain/spending.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { SpendStore } from "../storage/ports/storage.ts";
import type { KeyDirectory } from "./key_directory.ts";
import { budgetReached, pausedByBrake, type ReachedBudget } from "./spend_refusal.ts";
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

/** What a call under way counts against the budgets of its project and key. */
export interface SpendReserve {
  /**
   * Whether the amount may be replaced. By a larger one it may not be once the others have
   * reached a budget: a dearer route would overshoot that by more than one call.
   */
  mayMove(amountE8: AmountE8): boolean;
  /** Replaces the amount. */
  move(amountE8: AmountE8): void;
  /** The call is over: what it has spent is known. Once. */
  end(): void;
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

/** The longer one first: it is the one that lasts. */
const BUDGETS = [
  { period: "month", budgetOf: ({ monthlyE8 }: Budgets) => monthlyE8 },
  { period: "day", budgetOf: ({ dailyE8 }: Budgets) => dailyE8 },
] as const;

export class SpendBook {
  readonly #options: SpendBookOptions;
  readonly #spenders: { readonly [scope in SpendScope]: Map<string, Spender> } = {
    project: new Map(),
    key: new Map(),
  };
  /** Those whose usual hour is being asked for. */
  readonly #learning = new Set<Spender>();

  constructor(options: SpendBookOptions) {
    this.#options = options;
  }

  /** Takes over what is stored. Once, before the first call. */
  async load(): Promise<void> {
    const { spending, directory, now } = this.#options;
    const hour = hourOf(now());
    const [day, month] = (["day", "month"] as const).map((period) =>
      firstHourOf(period, periodOf(period, hour))
    ) as [number, number];
    for (const sums of await spending.sums({ hour, day, month })) {
      const { hourE8, dayE8, monthE8 } = sums;
      const amounts = { hour: hourE8, day: dayE8, month: monthE8 };
      this.#spender("project", sums.projectId, hour).restore(amounts);
      if (directory.key(sums.keyId) !== undefined) {
        this.#spender("key", sums.keyId, hour).restore(amounts);
      }
    }
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
   * Whether a call may begin.
   *
   * @throws {GatewayError} `insufficient_balance`, which says of whom which budget is
   * reached, or that a brake has paused it.
   */
  admit({ projectId, keyId }: Pick<OpenCall, "projectId" | "keyId">): void {
    const { directory } = this.#options;
    this.#check({ scope: "project", id: projectId }, directory.project(projectId)?.budgets);
    this.#check({ scope: "key", id: keyId }, directory.key(keyId)?.budgets);
  }

  /** Counts a call that begins. */
  reserve(call: OpenCall): SpendReserve {
    const { projectId, keyId } = call;
    const spenders = [this.#spender("project", projectId), this.#spender("key", keyId)];
    return new Reserve(spenders, {
      amountE8: reservedE8(call),
      hasRoom: (spender, ownE8) => this.#reached(spender, ownE8).length === 0,
    });
  }

  /** Counts what a call has spent, and pulls the brake where that was too much. */
  add(closed: ClosedCall): void {
    const amountE8 = spentE8(closed);
    if (amountE8 === 0n) return;
    const hour = hourOf(closed.closedAt);
    for (const spender of this.#spendersOf(closed)) {
      spender.add(amountE8, hour);
      this.#brake(spender);
    }
  }

  /** Takes back what {@linkcode SpendBook.add} has counted: the call could not be written. */
  takeBack(closed: ClosedCall): void {
    const amountE8 = spentE8(closed);
    if (amountE8 === 0n) return;
    const hour = hourOf(closed.closedAt);
    for (const spender of this.#spendersOf(closed)) spender.takeBack(amountE8, hour);
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
    const state = this.#resumed(subject);
    if (state === undefined) return false;
    const spender = this.#spender(subject.scope, subject.id);
    const { pause } = spender;
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

  #resumed(subject: SpendSubject): SpendState | undefined {
    const { pause, reached } = this.view(subject);
    if (pause === undefined && reached.length === 0) return undefined;
    const spender = this.#spender(subject.scope, subject.id);
    const hour = hourOf(this.#options.now());
    const periods = SPEND_PERIODS.filter((period) =>
      period === "hour" ? pause !== undefined : reached.includes(period)
    );
    const now = periods.map((period) => [
      period,
      { period: periodOf(period, hour), amountE8: spender.totalE8(period, hour) },
    ]);
    const kept = Object.entries(spender.forgiven).filter(([period, { period: number }]) =>
      number === periodOf(period as keyof SpendState["forgiven"], hour)
    );
    return spender.state({
      pause: undefined,
      forgiven: Object.fromEntries([...kept, ...now]),
    });
  }

  #check(subject: SpendSubject, budgets: Budgets | undefined): void {
    const spender = this.#spenders[subject.scope].get(subject.id);
    if (spender === undefined) return;
    if (spender.pause !== undefined) throw pausedByBrake(subject, spender.pause);
    if (budgets === undefined || !hasBudget(budgets)) return;
    const [reached] = this.#reached(spender);
    if (reached !== undefined) throw budgetReached(subject, reached);
  }

  /** The budgets that are reached, also when `ownE8` of what is open does not count. */
  #reached(spender: Spender, ownE8 = 0n): readonly ReachedBudget[] {
    const budgets = this.#budgetsOf(spender);
    if (budgets === undefined || !hasBudget(budgets)) return [];
    const hour = hourOf(this.#options.now());
    const openE8 = spender.openE8 - ownE8;
    return BUDGETS.flatMap(({ period, budgetOf }) => {
      const budgetE8 = budgetOf(budgets);
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

  /** Whom a call that ended is added to: not to a key that is deleted. */
  #spendersOf({ projectId, keyId }: ClosedCall): readonly Spender[] {
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

/** What an open call counts: its hold, or what stands for it. */
export function reservedE8({ heldE8, reservedE8 }: Pick<OpenCall, "heldE8" | "reservedE8">) {
  return reservedE8 ?? heldE8;
}

class Reserve implements SpendReserve {
  readonly #spenders: readonly Spender[];
  readonly #hasRoom: (spender: Spender, ownE8: AmountE8) => boolean;
  #amountE8: AmountE8 = 0n;

  /** @param hasRoom Whether no budget of a spender is reached without an amount of this one. */
  constructor(spenders: readonly Spender[], { amountE8, hasRoom }: {
    readonly amountE8: AmountE8;
    readonly hasRoom: (spender: Spender, ownE8: AmountE8) => boolean;
  }) {
    this.#spenders = spenders;
    this.#hasRoom = hasRoom;
    this.move(amountE8);
  }

  mayMove(amountE8: AmountE8): boolean {
    const ownE8 = this.#amountE8;
    return amountE8 <= ownE8 || this.#spenders.every((spender) => this.#hasRoom(spender, ownE8));
  }

  move(amountE8: AmountE8): void {
    const more = amountE8 - this.#amountE8;
    if (more === 0n) return;
    this.#amountE8 = amountE8;
    for (const spender of this.#spenders) spender.openE8 += more;
  }

  end(): void {
    this.move(0n);
  }
}
