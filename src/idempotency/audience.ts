/**
 * Everybody who waits for one answer. Work that is done for them goes on as long as
 * anyone is left, whoever came first.
 *
 * @module
 */

/** One who waits. */
export interface Listener {
  /** Waits no longer; safe to call more than once, and as a function alone. */
  readonly leave: () => void;
}

/** What is told of an audience. */
export interface AudienceEvents {
  /** The last one has left. */
  onEmpty(): void;
  /** Only one is left, before the answer is there. */
  onAlone?(): void;
  /** The answer is there, or cannot be made. */
  onOver(): void;
}

export class Audience {
  readonly #abort = new AbortController();
  readonly #events: AudienceEvents;
  #listeners = 0;
  #isOver = false;

  constructor(events: AudienceEvents) {
    this.#events = events;
  }

  /** Fires when the last one leaves before the answer is there. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether all have left: nobody may join any more. */
  get isGone(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Whether the answer is there, or cannot be made. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** How many wait. */
  get size(): number {
    return this.#listeners;
  }

  /** Adds one who leaves by itself when its client does. */
  join(client: AbortSignal): Listener {
    this.#listeners++;
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      client.removeEventListener("abort", leave);
      this.#listeners--;
      if (this.#listeners === 1 && !this.#isOver) this.#events.onAlone?.();
      if (this.#listeners > 0) return;
      this.#events.onEmpty();
      if (!this.#isOver) this.#abort.abort();
    };
    if (client.aborted) leave();
    else client.addEventListener("abort", leave);
    return { leave };
  }

  /** The answer is there: nobody's leaving ends anything from now on. */
  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.onOver();
  }
}
