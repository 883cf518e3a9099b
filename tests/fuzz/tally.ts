/**
 * Counts the statuses that each operation was answered with.
 *
 * @module
 */

import type { ApiOperation } from "./api_operation.ts";

export class Tally {
  readonly #counts = new Map<string, Map<number, number>>();
  #unanswered = 0;

  constructor(operations: readonly ApiOperation[]) {
    for (const { id } of operations) this.#counts.set(id, new Map());
  }

  /** Notes an answer; of no operation where there is no `id`. */
  answered(id: string | undefined, status: number): void {
    const name = id ?? "no operation";
    const counts = this.#counts.get(name) ?? new Map<number, number>();
    this.#counts.set(name, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  /** Notes a case without an answer, which only unfinished requests may be. */
  unanswered(): void {
    this.#unanswered++;
  }

  /** Operations that did at least once what they are for. */
  get reached(): number {
    return this.#rows().filter(([, counts]) => isReached(counts)).length;
  }

  /** Ids of operations that never did what they are for. */
  get unreached(): readonly string[] {
    return this.#rows().filter(([, counts]) => !isReached(counts)).map(([id]) => id);
  }

  /** A line per operation: `createVideo  200×31 400×80`. */
  lines(): readonly string[] {
    const width = Math.max(...[...this.#counts.keys()].map(({ length }) => length));
    const lines = [...this.#counts].map(([id, counts]) => {
      const shown = [...counts].sort(([one], [other]) => one - other)
        .map(([status, count]) => `${status}×${count}`);
      return `${id.padEnd(width)}  ${shown.join(" ")}`;
    });
    return [...lines, `${"no answer".padEnd(width)}  ${this.#unanswered}`];
  }

  #rows(): readonly (readonly [string, ReadonlyMap<number, number>])[] {
    return [...this.#counts].filter(([id]) => id !== "no operation");
  }
}

function isReached(counts: ReadonlyMap<number, number>): boolean {
  return [...counts.keys()].some((status) => status < 300);
}
