/**
 * How many lines of all batches may be asked at one time.
 *
 * @module
 */

/** Places that are given in the order they were asked for, so that batches have them in turn. */
export class LineSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Takes a place; whoever has it gives it back. */
  async take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a place back. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
