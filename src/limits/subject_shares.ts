/**
 * One subject's limits where several nodes share them: this node's share of each, what it lacks, and
 * what it can spare.
 *
 * @module
 */

import type { Limits } from "../domain/catalogue.ts";
import type { ShareAnswer, ShareAsk, ShareKind, ShareScope } from "../storage/ports/shares.ts";
import type { Gauge, Used } from "./gauge.ts";

/** Limits as numbers: `Infinity` where none is set. */
export interface HeldLimits extends Limits {
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrent: number;
}

/** So much of what was used lately is kept for the calls to come: seconds of the present rate. */
const SPARE_SECONDS = 2;
/** A part of that where others want it: a quarter of a second. */
const WANTED_PART = 1 / 8;
/** An empty pool is asked again after this. */
const EMPTY_MS = 50;

const NOTHING_USED: Used = { requests: 0, tokens: 0, concurrent: 0 };

/** By what name a limit goes among {@linkcode Limits}. */
const LIMIT_OF = {
  requests: "requestsPerMinute",
  tokens: "tokensPerMinute",
  concurrent: "concurrent",
} as const satisfies Record<ShareKind, keyof Limits>;

export const SHARE_KINDS = Object.keys(LIMIT_OF) as readonly ShareKind[];

/** This node's share of one limit. */
interface Share {
  amount: number;
  /** In the pool, as it was told last; `Infinity` until then. */
  free: number;
  isWanted: boolean;
  /** Before this, an ask would find the pool empty still. */
  notBeforeMs: number;
  /** What the first call that waits takes, and all of them together. */
  first: number;
  all: number;
  /** What a call took that went elsewhere, since it was asked for last. */
  missed: number;
}

/** A subject's shares; no call is admitted by more. */
export class SubjectShares {
  readonly scope: ShareScope;
  readonly id: string;
  /** What this node may admit up to: the share, or the limit where that is less. Changes in place. */
  readonly held: HeldLimits = {
    requestsPerMinute: Infinity,
    tokensPerMinute: Infinity,
    concurrent: Infinity,
  };
  #limits: Limits = {};
  readonly #shares: { readonly [kind in ShareKind]: Share } = {
    requests: noShare(),
    tokens: noShare(),
    concurrent: noShare(),
  };

  constructor(scope: ShareScope, id: string) {
    this.scope = scope;
    this.id = id;
  }

  /** Learns what the limits are now. */
  limitTo(limits: Limits): void {
    if (this.#limits === limits) return;
    this.#limits = limits;
    for (const kind of SHARE_KINDS) this.#hold(kind);
  }

  /** What the limits would leave if all of the pools were this node's: `held`, and what is free. */
  get reach(): HeldLimits {
    const reach = { ...this.held };
    for (const kind of SHARE_KINDS) {
      const name = LIMIT_OF[kind];
      const most = this.#limits[name];
      if (most === undefined) continue;
      reach[name] = Math.min(most, reach[name] + Math.max(0, this.#shares[kind].free));
    }
    return reach;
  }

  /** Whether a limit has a share at all. */
  isLimited(kind: ShareKind): boolean {
    return this.#limits[LIMIT_OF[kind]] !== undefined;
  }

  /** Whether nothing is to be given back. */
  get isEmpty(): boolean {
    return SHARE_KINDS.every((kind) => this.#shares[kind].amount === 0);
  }

  /** Counts no call as waiting. */
  forgetWaiting(): void {
    for (const kind of SHARE_KINDS) this.#shares[kind].first = this.#shares[kind].all = 0;
  }

  /** Counts a call that waits, behind those before it. */
  wait(kind: ShareKind, amount: number): void {
    const share = this.#shares[kind];
    if (share.all === 0) share.first = amount;
    share.all += amount;
  }

  /** Counts a call of so many tokens that does not wait, for as long as a beat: the next may find some. */
  miss(tokens: number): void {
    const { requests, concurrent } = this.#shares;
    requests.missed = concurrent.missed = 1;
    this.#shares.tokens.missed = Math.max(this.#shares.tokens.missed, tokens);
  }

  /** What is to be asked for calls that wait, as soon as it may be. */
  urgentAsks(gauge: Gauge | undefined, nowMs: number): readonly ShareAsk[] {
    const used = gauge?.used(Math.floor(nowMs / 1000)) ?? NOTHING_USED;
    return SHARE_KINDS.flatMap((kind) => {
      const share = this.#shares[kind];
      const most = this.#limits[LIMIT_OF[kind]];
      if (most === undefined || nowMs < share.notBeforeMs) return [];
      if (share.all === 0) return [];
      // Asked for or not: there is nothing to be asked again at once.
      share.notBeforeMs = nowMs + EMPTY_MS;
      const needed = used[kind] + share.first;
      if (needed <= share.amount || needed > most) return [];
      return [this.#ask(kind, { used: used[kind], spare: this.#spare(kind, gauge, nowMs) })];
    });
  }

  /** When a call that waits may be asked for next; `undefined` where none does. */
  get urgentAtMs(): number | undefined {
    const times = SHARE_KINDS.map((kind) => this.#shares[kind])
      .filter(({ all }) => all > 0).map(({ notBeforeMs }) => notBeforeMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /**
   * What is to be told and asked now and then: gives back what is not needed soon, asks for what is,
   * and looks what others have left. Nothing of what still counts is ever given back.
   */
  asks(gauge: Gauge | undefined, nowMs: number): readonly ShareAsk[] {
    const used = gauge?.used(Math.floor(nowMs / 1000)) ?? NOTHING_USED;
    return SHARE_KINDS.flatMap((kind) => {
      const share = this.#shares[kind];
      if (this.#limits[LIMIT_OF[kind]] === undefined) {
        return share.amount === 0 ? [] : [this.#giveBack(kind)];
      }
      const spare = this.#spare(kind, gauge, nowMs);
      const isMissed = share.all === 0 && share.missed > 0;
      if (isMissed) this.wait(kind, share.missed);
      share.missed = 0;
      const wanted = used[kind] + spare + share.all;
      if (share.amount === 0 && wanted === 0) return [];
      const before = share.amount;
      share.amount = Math.min(before, wanted);
      this.#hold(kind);
      const ask = this.#ask(kind, { used: used[kind], spare });
      if (isMissed) share.first = share.all = 0;
      // Nobody here would notice a change of the pool.
      const isIdle = spare === 0 && ask.lack === 0 && before === share.amount;
      return isIdle ? [] : [ask];
    });
  }

  /** Takes in what was answered to an ask of this subject; says whether spare shares are news to be wanted. */
  put({ kind, need }: ShareAsk, { holds, free, isWanted }: ShareAnswer, nowMs: number): boolean {
    const share = this.#shares[kind];
    const isNews = isWanted && !share.isWanted;
    const given = holds - share.amount;
    Object.assign(share, { amount: holds, free, isWanted });
    share.notBeforeMs = given < need ? nowMs + EMPTY_MS : nowMs;
    this.#hold(kind);
    return isNews;
  }

  #ask(
    kind: ShareKind,
    { used, spare }: { readonly used: number; readonly spare: number },
  ): ShareAsk {
    const { amount, first, all } = this.#shares[kind];
    const { scope, id } = this;
    const most = this.#limits[LIMIT_OF[kind]]!;
    const lackOf = (waiting: number) => Math.max(0, used + waiting - amount);
    return {
      kind,
      scope,
      id,
      most,
      holds: amount,
      need: first === 0 ? 0 : lackOf(first),
      lack: lackOf(all),
      wish: lackOf(all + spare),
    };
  }

  #giveBack(kind: ShareKind): ShareAsk {
    this.#shares[kind].amount = 0;
    const { scope, id } = this;
    return { kind, scope, id, most: 0, holds: 0, need: 0, lack: 0, wish: 0 };
  }

  /** What is kept beyond what counts, for the calls to come. */
  #spare(kind: ShareKind, gauge: Gauge | undefined, nowMs: number): number {
    if (gauge === undefined) return 0;
    const { isWanted } = this.#shares[kind];
    const second = Math.floor(nowMs / 1000);
    const lately = gauge.usedLately(second, SPARE_SECONDS);
    if (kind === "concurrent") {
      // As many again may come as run, but no more than came.
      const { concurrent } = gauge.used(second);
      return isWanted ? 0 : Math.min(Math.max(1, concurrent), lately.requests);
    }
    return Math.ceil(lately[kind] * (isWanted ? WANTED_PART : 1));
  }

  #hold(kind: ShareKind): void {
    const name = LIMIT_OF[kind];
    const most = this.#limits[name];
    this.held[name] = most === undefined ? Infinity : Math.min(most, this.#shares[kind].amount);
  }
}

function noShare(): Share {
  return {
    amount: 0,
    free: Infinity,
    isWanted: false,
    notBeforeMs: -Infinity,
    first: 0,
    all: 0,
    missed: 0,
  };
}
