/**
 * The shares that this node has of limits which several nodes share: of whom, and what is to be asked
 * of their pools. Time passes by the clock that is given; nothing here waits.
 *
 * @module
 */

import type { Limits } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { ShareAnswer, ShareAsk, ShareKind, ShareScope } from "../storage/ports/shares.ts";
import type { Gauge } from "./gauge.ts";
import { SubjectShares } from "./subject_shares.ts";

/** Where a node counts what it admits. */
export type FindGauge = (scope: ShareScope, id: string) => Gauge | undefined;

/** What a call lacks that waits. */
export interface WaitingNeed {
  readonly shares: SubjectShares;
  readonly kind: ShareKind;
  readonly amount: number;
}

/** One node's. */
export class ShareBook {
  readonly #clock: Clock;
  readonly #gaugeOf: FindGauge;
  readonly #subjects: { readonly [scope in ShareScope]: Map<string, SubjectShares> } = {
    project: new Map(),
    key: new Map(),
    route: new Map(),
  };
  #waitedFor: ReadonlySet<SubjectShares> = new Set();

  constructor(clock: Clock, gaugeOf: FindGauge) {
    this.#clock = clock;
    this.#gaugeOf = gaugeOf;
  }

  /** How many subjects have shares, or have asked for some lately. */
  get size(): number {
    return Object.values(this.#subjects).reduce((sum, { size }) => sum + size, 0);
  }

  /** A subject's shares, made where it has none; its limits are these from now on. */
  of(scope: ShareScope, id: string, limits: Limits): SubjectShares {
    const subjects = this.#subjects[scope];
    let found = subjects.get(id);
    if (found === undefined) {
      found = new SubjectShares(scope, id);
      subjects.set(id, found);
    }
    found.limitTo(limits);
    return found;
  }

  /** What is asked for calls that wait, in their order. */
  urgentAsks(waiting: Iterable<readonly WaitingNeed[]>): readonly ShareAsk[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#count(waiting)].flatMap((shares) =>
      shares.urgentAsks(this.#gaugeOf(shares.scope, shares.id), nowMs)
    );
  }

  /** What is asked and given back now and then, for those calls too. */
  asks(waiting: Iterable<readonly WaitingNeed[]>): readonly ShareAsk[] {
    const nowMs = this.#clock.monotonic();
    this.#count(waiting);
    const asks: ShareAsk[] = [];
    for (const subjects of Object.values(this.#subjects)) {
      for (const shares of subjects.values()) {
        const gauge = this.#gaugeOf(shares.scope, shares.id);
        const its = shares.asks(gauge, nowMs);
        if (its.length === 0 && gauge === undefined && shares.isEmpty) subjects.delete(shares.id);
        asks.push(...its);
      }
    }
    return asks;
  }

  /** When those who wait may be asked for next; `undefined` where none is known to wait. */
  get urgentAtMs(): number | undefined {
    const times = [...this.#waitedFor].flatMap(({ urgentAtMs }) => urgentAtMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /**
   * Takes in what was answered, in the order of the asks.
   *
   * @returns Whether others want something of which they did not when it was asked for last: what can be
   * spared of it should go back now.
   */
  put(asks: readonly ShareAsk[], answers: readonly ShareAnswer[]): boolean {
    const nowMs = this.#clock.monotonic();
    let isNews = false;
    for (const [index, ask] of asks.entries()) {
      const shares = this.#subjects[ask.scope].get(ask.id);
      if (shares?.put(ask, answers[index]!, nowMs) === true) isNews = true;
    }
    return isNews;
  }

  /** Counts who waits; gives the subjects that are waited for. */
  #count(waiting: Iterable<readonly WaitingNeed[]>): ReadonlySet<SubjectShares> {
    for (const shares of this.#waitedFor) shares.forgetWaiting();
    const counted = new Set<SubjectShares>();
    for (const needs of waiting) {
      for (const { shares, kind, amount } of needs) {
        if (!shares.isLimited(kind)) continue;
        counted.add(shares);
        shares.wait(kind, amount);
      }
    }
    return this.#waitedFor = counted;
  }
}
