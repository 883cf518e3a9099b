/**
 * What one project or key spends: sums of the running hour, day and month, what its
 * calls under way may cost, and what its usual hour costs.
 *
 * @module
 */

import type { Budgets, SpendPeriod } from "../domain/budgets.ts";
import { DEFAULT_BRAKE_FLOOR_E8, hourOf, periodOf } from "../domain/budgets.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { SpendPause, SpendScope, SpendState, SpendSubject } from "../domain/spending.ts";

/** Days that say what is usual. */
const USUAL_HOURS = 7 * 24;

/** The range of hours that say what is usual in `hour`: from the first to before the last. */
export function usualHours(hour: number): { readonly fromHour: number; readonly toHour: number } {
  return { fromHour: hour - USUAL_HOURS, toHour: hour };
}

/** See the module's text. Amounts are of settled calls; periods roll over with the given time. */
export class Spender implements SpendSubject {
  readonly scope: SpendScope;
  readonly id: string;
  /** What calls under way may cost. */
  openE8: AmountE8 = 0n;
  pause: SpendPause | undefined;
  forgiven: SpendState["forgiven"] = {};
  #hour: number;
  readonly #sums: { [period in SpendPeriod]: AmountE8 } = { hour: 0n, day: 0n, month: 0n };
  /** Hours before the running one in which anything was spent; `undefined` until it is asked for. */
  #history: Map<number, AmountE8> | undefined;
  #usual: { readonly hour: number; readonly amountE8: AmountE8 } | undefined;

  constructor({ scope, id }: SpendSubject, hour: number) {
    this.scope = scope;
    this.id = id;
    this.#hour = hour;
  }

  /** Whether {@linkcode usualE8} is known. */
  get knowsUsual(): boolean {
    return this.#history !== undefined;
  }

  /** The running hour, as of the last time that was told. */
  get hour(): number {
    return this.#hour;
  }

  /** Takes sums and state over from an earlier process. */
  restore(sums: { readonly [period in SpendPeriod]: AmountE8 }): void {
    for (const period of ["hour", "day", "month"] as const) this.#sums[period] += sums[period];
  }

  /** Learns what the hours before `hour` cost, as storage tells it. */
  learn(hours: Iterable<readonly [hour: number, amountE8: AmountE8]>): void {
    this.#history = new Map(hours);
    this.#usual = undefined;
  }

  /** Adds what a call has spent. */
  add(amountE8: AmountE8, hour: number): void {
    this.#rollTo(hour);
    this.#sums.hour += amountE8;
    this.#sums.day += amountE8;
    this.#sums.month += amountE8;
  }

  /** Takes back what was added in `hour`, in the periods that still count it. */
  takeBack(amountE8: AmountE8, hour: number): void {
    for (const period of ["hour", "day", "month"] as const) {
      if (periodOf(period, hour) === periodOf(period, this.#hour)) this.#sums[period] -= amountE8;
    }
  }

  /** What is spent in a running period, without what was forgiven. */
  spentE8(period: SpendPeriod, hour: number): AmountE8 {
    this.#rollTo(hour);
    const { [period]: forgiven } = this.forgiven;
    if (forgiven === undefined || forgiven.period !== periodOf(period, hour)) {
      return this.#sums[period];
    }
    return this.#sums[period] - forgiven.amountE8;
  }

  /** What the whole running period costs, to be forgiven. */
  totalE8(period: SpendPeriod, hour: number): AmountE8 {
    this.#rollTo(hour);
    return this.#sums[period];
  }

  /** The mean of the hours of the last 7 days in which anything was spent; 0 without any. */
  usualE8(hour: number): AmountE8 {
    this.#rollTo(hour);
    if (this.#history === undefined) return 0n;
    if (this.#usual?.hour !== hour) {
      this.#usual = { hour, amountE8: mean(this.#history, usualHours(hour).fromHour) };
    }
    return this.#usual.amountE8;
  }

  /** The pause that a brake demands now; `undefined` for none, also while the usual hour is unknown. */
  tooFast({ brakeTimes, brakeFloorE8 }: Budgets, nowMs: number): SpendPause | undefined {
    if (brakeTimes === undefined || this.#history === undefined) return undefined;
    const hour = hourOf(nowMs);
    const spentE8 = this.spentE8("hour", hour);
    const floorE8 = brakeFloorE8 ?? DEFAULT_BRAKE_FLOOR_E8;
    if (spentE8 <= floorE8) return undefined;
    const usualE8 = this.usualE8(hour);
    const timesE8 = usualE8 * BigInt(brakeTimes);
    const mostE8 = timesE8 > floorE8 ? timesE8 : floorE8;
    return spentE8 > mostE8 ? { at: nowMs, spentE8, usualE8, mostE8 } : undefined;
  }

  /** What is to be stored of it, with these changes. */
  state(changes: Partial<Pick<SpendState, "pause" | "forgiven">>): SpendState {
    const { scope, id, pause, forgiven } = this;
    return { scope, id, pause, forgiven, ...changes };
  }

  /**
   * Begins new periods. Where the machine's clock was set back, the sums so far
   * count on in the periods that run now: nobody gets a budget twice by it.
   */
  #rollTo(hour: number): void {
    const before = this.#hour;
    if (hour === before) return;
    this.#hour = hour;
    if (hour < before) return;
    if (this.#sums.hour > 0n) this.#history?.set(before, this.#sums.hour);
    this.#sums.hour = 0n;
    if (periodOf("day", hour) !== periodOf("day", before)) this.#sums.day = 0n;
    if (periodOf("month", hour) !== periodOf("month", before)) this.#sums.month = 0n;
  }
}

/** Also forgets the hours before `fromHour`. */
function mean(history: Map<number, AmountE8>, fromHour: number): AmountE8 {
  let sum = 0n;
  let count = 0n;
  for (const [hour, amountE8] of history) {
    if (hour < fromHour) {
      history.delete(hour);
    } else {
      sum += amountE8;
      count++;
    }
  }
  return count === 0n ? 0n : sum / count;
}
