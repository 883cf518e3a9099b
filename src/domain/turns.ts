/**
 * Turns at what only a few may do at one time.
 *
 * @module
 */

export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param atOnce Turns that may be taken at one time. */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Does it when there is a turn: whoever comes when all are taken waits, in the order of coming. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
