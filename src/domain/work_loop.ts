/**
 * Work that is done by one loop at a time, which ends when none is left.
 *
 * @module
 */

/** What a loop does. */
export interface Work {
  /** Whether there is something to do. */
  readonly isLeft: () => boolean;
  /** Does some of it. */
  readonly step: () => Promise<void>;
}

/** Does work in the background, in order; whatever comes while it does is done by the same loop. */
export class WorkLoop {
  readonly #work: Work;
  #running: Promise<void> | undefined;

  constructor(work: Work) {
    this.#work = work;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Begins, unless it is running or nothing is to be done; resolves once nothing is left.
   *
   * @throws What a step is rejected with: the loop has ended then, and the rest waits for the next call.
   */
  run(): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    if (!this.#work.isLeft()) return Promise.resolve();
    return this.#running = this.#loop();
  }

  async #loop(): Promise<void> {
    const { isLeft, step } = this.#work;
    try {
      while (isLeft()) await step();
    } finally {
      // In the same turn in which nothing was left: who comes after that begins the next loop. Were it done by
      // whoever waits for this promise, what comes in between would be left to a loop that has ended.
      this.#running = undefined;
    }
  }
}

/**
 * Writes of a state as it is when it is written, one at a time: what changes meanwhile is written once more.
 *
 * @param write Told how to see the state; has to tell of trouble itself.
 * @returns Asks for a write; resolves once nothing has changed since the last one.
 */
export function latestWrites<State>(
  write: (stateNow: () => State) => Promise<void>,
): (stateNow: () => State) => Promise<void> {
  let changed: (() => State) | undefined;
  const writes = new WorkLoop({
    isLeft: () => changed !== undefined,
    step() {
      const stateNow = changed!;
      changed = undefined;
      return write(stateNow);
    },
  });
  return (stateNow) => {
    changed = stateNow;
    return writes.run();
  };
}
