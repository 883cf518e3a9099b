/**
 * How many bytes of what is kept are young, without a record of each.
 *
 * @module
 */

/** Times are told apart this far. */
const STEP_MS = 10_000;

/** Times are milliseconds since the epoch. */
export class YoungBytes {
  readonly #byStep = new Map<number, number>();

  /** Counts bytes that were created at a time. */
  add(createdAt: number, bytes: number): void {
    const step = Math.floor(createdAt / STEP_MS);
    this.#byStep.set(step, (this.#byStep.get(step) ?? 0) + bytes);
  }

  /** Bytes created at a time or later, and some from shortly before; forgets all others. */
  since(timeMs: number): number {
    let sum = 0;
    for (const [step, bytes] of this.#byStep) {
      if ((step + 1) * STEP_MS <= timeMs) this.#byStep.delete(step);
      else sum += bytes;
    }
    return sum;
  }
}
