/**
 * Admission of calls by the limits of their project and key.
 *
 * @module
 */

import type { Limits } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import { Gauge, isLimited, type LimitName, type Remaining, type Shortage } from "./gauge.ts";
import { GaugeBook, type PastCalls } from "./gauge_book.ts";
import { GaugePermit } from "./gauge_permit.ts";
import { type Permit, UNLIMITED_PERMIT } from "./permit.ts";
import type { ShareKind } from "../storage/ports/shares.ts";
import type { WaitingNeed } from "./share_book.ts";
import type { NodeShares } from "./node_shares.ts";
import type { GaugeCells } from "./shared_gauges.ts";

/** Whose limits apply. */
export type LimitScope = "project" | "key";

/** Someone whose calls are limited. */
export interface LimitSubject {
  readonly scope: LimitScope;
  readonly id: string;
  readonly limits: Limits;
}

/** Why a call is not admitted: of all limits without room, the one that has room last. */
export interface LimitRefusal {
  readonly scope: LimitScope;
  readonly id: string;
  readonly limit: LimitName;
  readonly max: number;
  /**
   * Whole seconds until the call would be admitted, if no other call comes; 60
   * where it never would, because it alone asks for more than the limit.
   */
  readonly retryAfterSeconds: number;
}

/** The answer to a request that asks for its place. */
export type Admission =
  | { readonly kind: "permit"; readonly permit: Permit }
  | { readonly kind: "refused" } & LimitRefusal;

const UNLIMITED: Admission = Object.freeze({ kind: "permit", permit: UNLIMITED_PERMIT });

const NOTHING_LIMITED: Remaining = Object.freeze({
  requests: undefined,
  tokens: undefined,
  concurrent: undefined,
});

/**
 * Admits calls and counts them: a request first takes its place among those that run, and counts
 * against the limits per minute once it is known what it asks for. Every subject is checked before
 * anything is taken from any: a refusal leaves no trace.
 */
export class Limiter {
  readonly #clock: Clock;
  readonly #books: { readonly [scope in LimitScope]: GaugeBook } = {
    project: new GaugeBook(),
    key: new GaugeBook(),
  };

  /** Where several nodes share the limits. */
  #nodes: NodeShares | undefined;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** Admits by this node's shares of limits from now on. */
  shareAmongNodes(nodes: NodeShares): void {
    this.#nodes = nodes;
  }

  /** Whether several nodes share the limits: threads have none of their shares. */
  get isShared(): boolean {
    return this.#nodes !== undefined;
  }

  /** What a subject has used; `undefined` where that is nothing. */
  gaugeOf(scope: LimitScope, id: string): Gauge | undefined {
    return this.#books[scope].find(id);
  }

  /** How many subjects are remembered. */
  get size(): number {
    return this.#books.project.size + this.#books.key.size;
  }

  /** Takes a place among those that run at the same time. */
  enter(subjects: readonly LimitSubject[]): Admission {
    let limited = false;
    for (const subject of subjects) limited ||= isLimited(subject.limits);
    if (!limited) return UNLIMITED;
    const second = Math.floor(this.#clock.monotonic() / 1000);
    const entered: Gauge[] = [];
    const held: Limits[] = [];
    let isRefused = false;
    for (const { scope, id, limits } of subjects) {
      if (!isLimited(limits)) continue;
      const gauge = this.#books[scope].open(id, second);
      const its = this.#held(scope, id, limits);
      isRefused ||= !gauge.enter(its);
      if (isRefused) continue;
      entered.push(gauge);
      held.push(its);
    }
    if (isRefused) {
      for (const gauge of entered) gauge.leave();
      return this.#refusedPlace(subjects) ?? this.enter(subjects);
    }
    // A list that grew has room for many more, and these are kept for as long as the call.
    return { kind: "permit", permit: new GaugePermit(entered.slice(), held.slice()) };
  }

  /** As {@linkcode enter}, for who can wait a moment where several nodes share a limit. */
  enterWhenRoom(subjects: readonly LimitSubject[]): Admission | Promise<Admission> {
    const admitted = this.enter(subjects);
    return admitted.kind === "permit" || this.#nodes === undefined
      ? admitted
      : this.#entered(subjects, admitted);
  }

  async #entered(subjects: readonly LimitSubject[], refused: Admission): Promise<Admission> {
    let admitted = refused;
    await this.#nodes!.whenRoom(
      this.#needs(subjects, [["concurrent", 1]]),
      () => (admitted = this.enter(subjects)).kind === "permit",
    );
    return admitted;
  }

  /** As {@linkcode count}, likewise. */
  countWhenRoom(
    permit: Permit,
    subjects: readonly LimitSubject[],
    tokens: number,
  ): LimitRefusal | undefined | Promise<LimitRefusal | undefined> {
    const refusal = this.count(permit, subjects, tokens);
    const isTooMuch = refusal?.limit === "tokens_per_minute" && tokens > refusal.max;
    return refusal === undefined || isTooMuch || this.#nodes === undefined
      ? refusal
      : this.#counted(permit, { subjects, tokens, refusal });
  }

  async #counted(permit: Permit, { subjects, tokens, refusal }: {
    readonly subjects: readonly LimitSubject[];
    readonly tokens: number;
    readonly refusal: LimitRefusal;
  }): Promise<LimitRefusal | undefined> {
    let left: LimitRefusal | undefined = refusal;
    await this.#nodes!.whenRoom(
      this.#needs(subjects, [["requests", 1], ["tokens", tokens]]),
      () => (left = this.count(permit, subjects, tokens)) === undefined,
    );
    return left;
  }

  #needs(
    subjects: readonly LimitSubject[],
    amounts: readonly (readonly [ShareKind, number])[],
  ): readonly WaitingNeed[] {
    return subjects.flatMap(({ scope, id, limits }) => {
      const shares = this.#nodes!.of(scope, id, limits);
      return amounts.map(([kind, amount]) => ({ shares, kind, amount }));
    });
  }

  /** What of a subject's limits may be used here. */
  #held(scope: LimitScope, id: string, limits: Limits): Limits {
    return this.#nodes === undefined ? limits : this.#nodes.of(scope, id, limits).held;
  }

  /** Who refuses a place; `undefined` where another thread has left one in the meantime. */
  #refusedPlace(subjects: readonly LimitSubject[]): Admission | undefined {
    const refusal = this.#worst(
      subjects,
      (gauge, limits, held) => gauge.placeShortage(limits, held),
    );
    return refusal && { kind: "refused", ...refusal };
  }

  /** Counts what has its place against the limits per minute; gives what refuses it. */
  count(
    permit: Permit,
    subjects: readonly LimitSubject[],
    tokens: number,
  ): LimitRefusal | undefined {
    // Who had no limit on arrival is not held to one that came since.
    if (!(permit instanceof GaugePermit)) return undefined;
    for (;;) {
      const refusal = this.#shortOf(subjects, tokens);
      if (refusal !== undefined) return refusal;
      // Another thread may have been quicker.
      if (permit.count(tokens, Math.floor(this.#clock.monotonic() / 1000))) return undefined;
    }
  }

  /**
   * What would refuse a request of so many tokens now, by the limits per minute. Where several nodes
   * share them, what only counting can tell is not refused.
   */
  shortOf(subjects: readonly LimitSubject[], tokens: number): LimitRefusal | undefined {
    return this.#nodes === undefined ? this.#shortOf(subjects, tokens) : undefined;
  }

  #shortOf(subjects: readonly LimitSubject[], tokens: number): LimitRefusal | undefined {
    const nowMs = this.#clock.monotonic();
    const second = Math.floor(nowMs / 1000);
    for (const { scope, id, limits } of subjects) {
      const gauge = this.#books[scope].find(id);
      if (gauge?.hasRoom(this.#held(scope, id, limits), tokens, second) !== false) continue;
      const worst = this.#worst(
        subjects,
        (gauge, limits, held) => gauge.shortage(limits, tokens, nowMs, held),
      );
      if (worst !== undefined) return worst;
    }
    return undefined;
  }

  /** Counts a subject where other threads do so too, from now on, with what is counted so far. */
  share({ scope, id }: Pick<LimitSubject, "scope" | "id">, cells: GaugeCells): void {
    this.#books[scope].share(id, cells, Math.floor(this.#clock.monotonic() / 1000));
  }

  /** Counts a subject where another thread has it shared. */
  adopt({ scope, id }: Pick<LimitSubject, "scope" | "id">, cells: GaugeCells): void {
    this.#books[scope].adopt(id, cells, Math.floor(this.#clock.monotonic() / 1000));
  }

  /** What is left to a subject. */
  remaining({ scope, id, limits }: LimitSubject): Remaining {
    if (!isLimited(limits)) return NOTHING_LIMITED;
    const nowMs = this.#clock.monotonic();
    const gauge = this.#books[scope].find(id) ?? new Gauge(Math.floor(nowMs / 1000));
    return gauge.remaining(limits, nowMs, this.#nodes?.of(scope, id, limits).reach);
  }

  /** Counts calls made before this process began; a subject without limits is not counted. */
  restore({ scope, id, limits }: LimitSubject, past: PastCalls): void {
    if (!isLimited(limits)) return;
    this.#books[scope].restore(id, past, { clock: this.#clock });
  }

  /** Of all limits without room, the one that has room last; `undefined` where all have room. */
  #worst(
    subjects: readonly LimitSubject[],
    shortageOf: (gauge: Gauge, limits: Limits, held: Limits) => Shortage | undefined,
  ): LimitRefusal | undefined {
    let refusing = subjects[0]!;
    let worst: Shortage | undefined;
    for (const subject of subjects) {
      const { scope, id, limits } = subject;
      const gauge = this.#books[scope].find(id);
      const shortage = gauge && shortageOf(gauge, limits, this.#held(scope, id, limits));
      if (shortage !== undefined && shortage.waitSeconds > (worst?.waitSeconds ?? 0)) {
        worst = shortage;
        refusing = subject;
      }
    }
    if (worst === undefined) return undefined;
    const { limit, max, waitSeconds } = worst;
    const { scope, id } = refusing;
    return { scope, id, limit, max, retryAfterSeconds: waitSeconds };
  }
}
