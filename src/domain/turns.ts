/**
 * Turns at what only a few may do at one time.
 *
 * @module
 */

export class Turns {
  #free: number;
  readonly #waiting: Set<() => void> = new Set();

  /** @param atOnce Turns that may be taken at one time. */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Whether all are taken: who comes now waits. */
  get areTaken(): boolean {
    return this.#free === 0;
  }

  /**
   * Does it when there is a turn: whoever comes when all are taken waits, in the order of coming.
   *
   * @param signal Ends the wait, with its reason; what has begun goes on.
   */
  async take<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await this.#comesUp(signal);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #comesUp(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(go);
        reject(signal!.reason);
      };
      const go = () => {
        this.#waiting.delete(go);
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      if (signal?.aborted === true) return leave();
      this.#waiting.add(go);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
