/**
 * Closed calls whose end storage has refused: their holds go back as soon as it takes
 * that, and nobody is charged.
 *
 * @module
 */

import type { ClosedCall } from "../domain/call.ts";
import { WorkLoop } from "../domain/work_loop.ts";
import type { EntryResult, Refusal } from "../storage/ports/entry.ts";

/** Whether nothing can be written at the moment, whatever it is. */
export function isStorageDown({ reason }: Refusal): boolean {
  return reason === "full" || reason === "unavailable";
}

/** What is done with them. */
export interface UnwrittenClosesOptions<Hold> {
  /** Tries to write a close. */
  readonly write: (hold: Hold, closed: ClosedCall) => Promise<EntryResult>;
  /** Told of a close that is written after all. */
  readonly onWritten: (closed: ClosedCall) => void;
  /** Told of one that is left to the next start, which releases it. */
  readonly onGivenUp: (closed: ClosedCall, refusal: Refusal) => void;
  /** Waits before they are tried again, milliseconds. */
  readonly retryDelay: (ms: number) => Promise<void>;
  /** Whether storage is elsewhere and silent: that passes, as a full disk does. */
  readonly isAway: () => boolean;
}

interface UnwrittenClose<Hold> {
  readonly hold: Hold;
  readonly closed: ClosedCall;
  /** Whether storage refused it alone, at its last try: then others are taken as ever. */
  isAlone: boolean;
  /** How often storage refused it although there was room. */
  refusals: number;
}

const RETRY_MS = 1_000;
/** Refusals, other than for a full disk, after which a close is left to the next start. */
const MOST_REFUSALS = 10;

export class UnwrittenCloses<Hold> {
  readonly #options: UnwrittenClosesOptions<Hold>;
  /** In the order in which they were decided. */
  #closes: readonly UnwrittenClose<Hold>[] = [];
  readonly #retries: WorkLoop;

  constructor(options: UnwrittenClosesOptions<Hold>) {
    this.#options = options;
    this.#retries = new WorkLoop({ isLeft: () => this.size > 0, step: () => this.#retryAll() });
  }

  get size(): number {
    return this.#closes.length;
  }

  /** Whether nothing could be written at the last try: a close that is refused alone concerns nobody else. */
  get isStorageDown(): boolean {
    return this.#closes.some(({ isAlone }) => !isAlone);
  }

  /** Resolves when none is left: each is written, or is left to others. */
  written(): Promise<void> {
    return this.#retries.run();
  }

  /** Takes one in, which `refusal` has kept from being written. */
  add(hold: Hold, closed: ClosedCall, refusal: Refusal): void {
    const isAlone = !isStorageDown(refusal);
    this.#closes = [...this.#closes, { hold, closed, isAlone, refusals: 0 }];
    void this.#retries.run();
  }

  /** Tries all of them at once, in order: the balance is usable again as soon as storage is. */
  async #retryAll(): Promise<void> {
    const { write, onWritten, onGivenUp, retryDelay, isAway } = this.#options;
    await retryDelay(RETRY_MS);
    const tried = this.#closes;
    const results = await Promise.all(tried.map(({ hold, closed }) => write(hold, closed)));
    const failed = tried.filter((close, index) => {
      const result = results[index]!;
      if (result.ok) onWritten(close.closed);
      else if (givesUp(close, result, isAway())) onGivenUp(close.closed, result);
      else return true;
      return false;
    });
    this.#closes = [...failed, ...this.#closes.slice(tried.length)];
  }
}

/** What passes is waited for. What storage refuses for another reason again and again is left alone. */
function givesUp(close: UnwrittenClose<unknown>, refusal: Refusal, isAway: boolean): boolean {
  close.isAlone = !isStorageDown(refusal);
  if (refusal.reason === "conflict") return true;
  if (refusal.reason === "full" || isAway) return false;
  return ++close.refusals >= MOST_REFUSALS;
}
