/**
 * Keeps what a node has of something that several nodes share: asks for more where calls wait for it,
 * and now and then gives back what is not needed here.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";

/** What a node has, and what is to be said and asked of it. */
export interface ExchangeBook<Need, Ask, Answer> {
  /** What is asked for calls that wait, in their order. */
  urgentAsks(waiting: Iterable<readonly Need[]>): readonly Ask[];
  /** What is asked and given back now and then, for those calls too. */
  asks(waiting: Iterable<readonly Need[]>): readonly Ask[];
  /** When those who wait may be asked for next; `undefined` where none is known to wait. */
  readonly urgentAtMs: number | undefined;
  /** Takes in what was answered; says whether something should go back now. */
  put(asks: readonly Ask[], answers: readonly Answer[]): boolean;
}

/** What it is kept with. */
export interface ExchangeKeeperOptions<Need, Ask, Answer> {
  readonly book: ExchangeBook<Need, Ask, Answer>;
  readonly pools: { exchange(asks: readonly Ask[]): Promise<readonly Answer[]> };
  readonly clock: Clock;
  /** Calls back once, some milliseconds later, and gives what calls that off. */
  readonly later: (run: () => void, ms: number) => () => void;
  /** Hears once why nothing can be asked; it is asked again and again. */
  readonly onTrouble: (error: unknown) => void;
}

/** A call that is short waits for so long. */
const PATIENCE_MS = 300;
/** From one look at all shares to the next. */
const BEAT_MS = 250;
/** After an exchange that failed. */
const PAUSE_MS = 50;

interface WaitingCall<Need> {
  readonly needs: readonly Need[];
  readonly untilMs: number;
  readonly take: () => boolean;
  readonly resolve: (isTaken: boolean) => void;
}

export class ExchangeKeeper<Need, Ask, Answer> {
  readonly #options: ExchangeKeeperOptions<Need, Ask, Answer>;
  /** In the order of their coming. */
  readonly #waiting: Set<WaitingCall<Need>> = new Set();
  #isAsking = false;
  #isStopped = false;
  #isTroubled = false;
  #beatAtMs: number;
  #callOff: (() => void) | undefined;
  /** When `#callOff` would be called back. */
  #wakeAtMs = Infinity;
  #exchanged: Promise<void> = Promise.resolve();

  constructor(options: ExchangeKeeperOptions<Need, Ask, Answer>) {
    this.#options = options;
    this.#beatAtMs = options.clock.monotonic() + BEAT_MS;
    this.#wakeAt(this.#beatAtMs);
  }

  /**
   * Waits until a call can take what it needs, for a moment at most; says whether it has.
   *
   * @param needs What it lacks; more of it is asked for.
   * @param take Takes all of that, or nothing; says whether. Called whenever there may be enough.
   */
  whenRoom(needs: readonly Need[], take: () => boolean): Promise<boolean> {
    if (this.#isStopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      const untilMs = this.#options.clock.monotonic() + PATIENCE_MS;
      this.#waiting.add({ needs, untilMs, take, resolve });
      this.#wakeAt(this.#options.clock.monotonic());
    });
  }

  /** Lets nobody wait any more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    for (const call of this.#waiting) this.#end(call, false);
    await this.#exchanged;
  }

  #wakeAt(atMs: number): void {
    if (this.#isAsking || this.#isStopped || this.#wakeAtMs <= atMs) return;
    this.#callOff?.();
    this.#wakeAtMs = atMs;
    const ms = Math.max(0, atMs - this.#options.clock.monotonic());
    this.#callOff = this.#options.later(() => {
      this.#wakeAtMs = Infinity;
      this.#callOff = undefined;
      this.#exchanged = this.#turn();
    }, ms);
  }

  /** One exchange, if there is anything to be said; the next one is then waited for. */
  async #turn(): Promise<void> {
    const { book, clock, onTrouble } = this.#options;
    this.#isAsking = true;
    let nextMs: number;
    try {
      this.#serve();
      const isBeat = clock.monotonic() >= this.#beatAtMs;
      if (isBeat) this.#beatAtMs = clock.monotonic() + BEAT_MS;
      const needs = [...this.#waiting].map((call) => call.needs);
      const asks = isBeat ? book.asks(needs) : book.urgentAsks(needs);
      if (asks.length > 0) await this.#exchange(asks);
      nextMs = Math.min(this.#beatAtMs, book.urgentAtMs ?? Infinity);
    } catch (error) {
      if (!this.#isTroubled && !this.#isStopped) onTrouble(error);
      this.#isTroubled = true;
      nextMs = clock.monotonic() + PAUSE_MS;
    }
    this.#serve();
    this.#isAsking = false;
    for (const { untilMs } of this.#waiting) nextMs = Math.min(nextMs, untilMs);
    this.#wakeAt(nextMs);
  }

  async #exchange(asks: readonly Ask[]): Promise<void> {
    const { book, pools, clock } = this.#options;
    if (book.put(asks, await pools.exchange(asks))) this.#beatAtMs = clock.monotonic();
    this.#isTroubled = false;
  }

  /** Lets those go on who can take what they need, and those who have waited long enough. */
  #serve(): void {
    const nowMs = this.#options.clock.monotonic();
    for (const call of this.#waiting) {
      if (call.take()) this.#end(call, true);
      else if (call.untilMs <= nowMs) this.#end(call, false);
    }
  }

  #end(call: WaitingCall<Need>, isTaken: boolean): void {
    this.#waiting.delete(call);
    call.resolve(isTaken);
  }
}
