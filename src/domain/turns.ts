/**
 * Turns at sending films to a bucket: each takes the memory of one part, and a few fill a line.
 *
 * @module
 */

const AT_ONCE = 4;

/** Whoever comes when all turns are taken waits, in the order of coming. */
export class UploadTurns {
  #free = AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  /** Does it when there is a turn. */
  async take(send: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await send();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
