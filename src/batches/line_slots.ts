/**
 * How many lines of all batches may be asked at one time.
 *
 * @module
 */

/**
 * Places that projects have in turn, and of one project's lines the first that has asked. One
 * project has at most half of what the others leave: were all of its lines to wait for an upstream
 * that says nothing, the next one would find as many places as it has.
 */
export class LineSlots {
  readonly #slots: number;
  #taken = 0;
  /** By project, of those that have any. */
  readonly #own = new Map<string, number>();
  /** By project, whose turn is next first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Takes a place; whoever has it gives it back. */
  async take(projectId: string): Promise<void> {
    if (this.#mayTake(projectId)) return this.#count(projectId, 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(projectId);
    if (waiting === undefined) this.#waiting.set(projectId, [resolve]);
    else waiting.push(resolve);
    await promise;
  }

  /** Gives a place of a project back. */
  give(projectId: string): void {
    this.#count(projectId, -1);
    while (this.#letNextIn());
  }

  #letNextIn(): boolean {
    for (const [projectId, waiting] of this.#waiting) {
      if (!this.#mayTake(projectId)) continue;
      const next = waiting.shift()!;
      this.#waiting.delete(projectId);
      if (waiting.length > 0) this.#waiting.set(projectId, waiting);
      this.#count(projectId, 1);
      next();
      return true;
    }
    return false;
  }

  #mayTake(projectId: string): boolean {
    const own = this.#own.get(projectId) ?? 0;
    const leftByOthers = this.#slots - (this.#taken - own);
    return own < Math.ceil(leftByOthers / 2);
  }

  #count(projectId: string, more: number): void {
    const own = (this.#own.get(projectId) ?? 0) + more;
    this.#taken += more;
    if (own === 0) this.#own.delete(projectId);
    else this.#own.set(projectId, own);
  }
}
