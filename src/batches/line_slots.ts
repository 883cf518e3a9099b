/**
 * How many lines of all batches may be asked at one time.
 *
 * @module
 */

/** Places that projects have in turn, and of one project's lines the first that has asked. */
export class LineSlots {
  #free: number;
  /** By project, whose turn is next first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Takes a place; whoever has it gives it back. */
  async take(projectId: string): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(projectId);
    if (waiting === undefined) this.#waiting.set(projectId, [resolve]);
    else waiting.push(resolve);
    await promise;
  }

  /** Gives a place back. */
  give(): void {
    for (const [projectId, waiting] of this.#waiting) {
      const next = waiting.shift()!;
      this.#waiting.delete(projectId);
      if (waiting.length > 0) this.#waiting.set(projectId, waiting);
      next();
      return;
    }
    this.#free++;
  }
}
