/**
 * What one project or key spends: sums of the running hour, day and month, what its
 * calls under way may cost, and what its usual hour costs. Of each sort of period the
 * one that ran before is known too: a call may be written a moment after its period,
 * and a clock may be put right around the end of one.
 *
 * @module
 */

import type { Budgets, SpendPeriod } from "../domain/budgets.ts";
import { DEFAULT_BRAKE_FLOOR_E8, hourOf, periodOf, SPEND_PERIODS } from "../domain/budgets.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { SpendPause, SpendScope, SpendState, SpendSubject } from "../domain/spending.ts";

/** Days that say what is usual. */
const USUAL_HOURS = 7 * 24;

/** The range of hours that say what is usual in `hour`: from the first to before the last. */
export function usualHours(hour: number): { readonly fromHour: number; readonly toHour: number } {
  return { fromHour: hour - USUAL_HOURS, toHour: hour };
}

interface PeriodSum {
  /** See `periodOf`. */
  readonly period: number;
  amountE8: AmountE8;
}

/** Amounts are of settled calls; periods roll over with the given time. */
export class Spender implements SpendSubject {
  readonly scope: SpendScope;
  readonly id: string;
  /** What calls under way may cost. */
  openE8: AmountE8 = 0n;
  pause: SpendPause | undefined;
  forgiven: SpendState["forgiven"] = {};
  #hour: number;
  readonly #running: { [period in SpendPeriod]: PeriodSum };
  /** What ran before that. */
  readonly #earlier: { [period in SpendPeriod]?: PeriodSum } = {};
  /** Hours before the running one in which anything was spent; `undefined` until it is asked for. */
  #history: Map<number, AmountE8> | undefined;
  #usual: { readonly hour: number; readonly amountE8: AmountE8 } | undefined;

  constructor({ scope, id }: SpendSubject, hour: number) {
    this.scope = scope;
    this.id = id;
    this.#hour = hour;
    const begun = (period: SpendPeriod) => ({ period: periodOf(period, hour), amountE8: 0n });
    this.#running = { hour: begun("hour"), day: begun("day"), month: begun("month") };
  }

  /** Whether {@linkcode usualE8} is known. */
  get knowsUsual(): boolean {
    return this.#history !== undefined;
  }

  /** Takes sums over from an earlier process, of the hour for which this was made. */
  restore(sums: { readonly [period in SpendPeriod]: AmountE8 }): void {
    for (const period of SPEND_PERIODS) this.#running[period].amountE8 += sums[period];
  }

  /** Learns what the hours before `hour` cost, as storage tells it. */
  learn(hours: Iterable<readonly [hour: number, amountE8: AmountE8]>): void {
    this.#history = new Map(hours);
    this.#usual = undefined;
  }

  /** Adds what a call has spent that ended in `hour`. */
  add(amountE8: AmountE8, hour: number): void {
    if (hour > this.#hour) this.#rollTo(hour);
    for (const period of SPEND_PERIODS) {
      (this.#sumOf(period, hour) ?? this.#running[period]).amountE8 += amountE8;
    }
    this.#learnEarlier(hour);
  }

  /** Takes back what was added in `hour`, in the periods that still count it. */
  takeBack(amountE8: AmountE8, hour: number): void {
    for (const period of SPEND_PERIODS) {
      const sum = this.#sumOf(period, hour);
      if (sum !== undefined) sum.amountE8 -= amountE8;
    }
    this.#learnEarlier(hour);
  }

  /** What is spent in a running period, without what was forgiven. */
  spentE8(period: SpendPeriod, hour: number): AmountE8 {
    this.#rollTo(hour);
    const { [period]: forgiven } = this.forgiven;
    const sum = this.#running[period];
    if (forgiven?.period !== sum.period) return sum.amountE8;
    // A call that was counted when it was forgiven may have been taken back.
    return sum.amountE8 > forgiven.amountE8 ? sum.amountE8 - forgiven.amountE8 : 0n;
  }

  /** What is forgiven of a period by its number. */
  forgivenE8(period: SpendPeriod, number: number): AmountE8 {
    const { [period]: forgiven } = this.forgiven;
    return forgiven?.period === number ? forgiven.amountE8 : 0n;
  }

  /** Learns what all nodes together have spent in a period, if that is running here. */
  tell(period: SpendPeriod, number: number, amountE8: AmountE8): void {
    const sum = this.#running[period];
    if (sum.period === number) sum.amountE8 = amountE8;
  }

  /** What the whole running period costs, to be forgiven. */
  totalE8(period: SpendPeriod, hour: number): AmountE8 {
    this.#rollTo(hour);
    return this.#running[period].amountE8;
  }

  /** The mean of the hours of the last 7 days in which anything was spent; 0 without any. */
  usualE8(hour: number): AmountE8 {
    this.#rollTo(hour);
    if (this.#history === undefined) return 0n;
    if (this.#usual?.hour !== hour) {
      this.#usual = { hour, amountE8: mean(this.#history, usualHours(hour)) };
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

  /** What is to be stored of it where it goes on, in the periods that stop it with nothing spent yet. */
  resumed(hour: number, reached: readonly SpendPeriod[]): SpendState {
    const periods = SPEND_PERIODS.filter((period) =>
      period === "hour" ? this.pause !== undefined : reached.includes(period)
    );
    const now = periods.map((period) => [
      period,
      { period: periodOf(period, hour), amountE8: this.totalE8(period, hour) },
    ]);
    const kept = Object.entries(this.forgiven).filter(([period, { period: number }]) =>
      number === periodOf(period as SpendPeriod, hour)
    );
    return this.state({ pause: undefined, forgiven: Object.fromEntries([...kept, ...now]) });
  }

  /**
   * Begins new periods. Where the machine's clock was set back, the period before
   * goes on where it was; in others the sums so far count on. Nobody gets a budget
   * twice by it.
   */
  #rollTo(hour: number): void {
    if (hour === this.#hour) return;
    for (const period of SPEND_PERIODS) {
      const number = periodOf(period, hour);
      const before = this.#running[period];
      if (number === before.period) continue;
      this.#running[period] = this.#sumOf(period, hour) ??
        { period: number, amountE8: number < before.period ? before.amountE8 : 0n };
      this.#earlier[period] = before;
    }
    this.#hour = hour;
    this.#learnEarlier(this.#earlier.hour!.period);
  }

  /** The sum of the period that `hour` lies in, as far as that is known. */
  #sumOf(period: SpendPeriod, hour: number): PeriodSum | undefined {
    const running = this.#running[period];
    if (hour === this.#hour) return running;
    const number = periodOf(period, hour);
    if (number === running.period) return running;
    const earlier = this.#earlier[period];
    return number === earlier?.period ? earlier : undefined;
  }

  /** What the hour that ran before has cost says what is usual. */
  #learnEarlier(hour: number): void {
    const earlier = this.#earlier.hour;
    if (hour !== earlier?.period || earlier.amountE8 === 0n) return;
    this.#history?.set(hour, earlier.amountE8);
    this.#usual = undefined;
  }
}

/** Also forgets the hours before the range. */
function mean(
  history: Map<number, AmountE8>,
  { fromHour, toHour }: ReturnType<typeof usualHours>,
): AmountE8 {
  let sum = 0n;
  let count = 0n;
  for (const [hour, amountE8] of history) {
    if (hour < fromHour) {
      history.delete(hour);
    } else if (hour < toHour) {
      sum += amountE8;
      count++;
    }
  }
  return count === 0n ? 0n : sum / count;
}
