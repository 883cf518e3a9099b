/**
 * What the files of projects take. All of a project's rows are added up now and then only, and what has
 * come since in between: no project that has many files makes everybody else wait for its sum.
 *
 * @module
 */

import type { Ask } from "./ask.ts";

/** Milliseconds after which all of a project's rows are added up again: what other nodes delete counts till then. */
const ALL_AGAIN_MS = 5_000;
/** Projects that are remembered. */
const MOST_REMEMBERED = 10_000;

/** A project's sum up to a row, and when all rows were added up. */
interface KnownSum {
  readonly addedUpAt: number;
  readonly bytes: number;
  /** Of the last row that is in it. */
  readonly place: number;
}

/** Sums of whoever asks over one connection or one pool. */
export class FileSums {
  readonly #ask: Ask;
  readonly #now: () => number;
  readonly #known: Map<string, KnownSum> = new Map();
  /** Of all rows of a project: who asks meanwhile waits for the next one, with all others who do. */
  readonly #underWay: Map<string, Promise<KnownSum>> = new Map();

  /** @param now Milliseconds of a clock that is never set. */
  constructor(ask: Ask, now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  /**
   * Bytes of a project's files: all that are stored, and where that is no more than `mostBytes` perhaps some
   * that another node has deleted in the last five seconds.
   */
  async bytesOf(projectId: string, mostBytes = Infinity): Promise<number> {
    const known = this.#known.get(projectId);
    if (known !== undefined && this.#now() - known.addedUpAt < ALL_AGAIN_MS) {
      const come = await this.#sum(projectId, known.place);
      const bytes = known.bytes + come.bytes;
      if (this.#known.get(projectId) === known) {
        this.#known.set(projectId, { ...known, bytes, place: come.place });
      }
      if (bytes <= mostBytes) return bytes;
    }
    return (await this.#sumAll(projectId)).bytes;
  }

  /** A row of the project was deleted here. */
  subtract(projectId: string, { bytes, place }: { bytes: number; place: number }): void {
    const known = this.#known.get(projectId);
    if (known === undefined || place > known.place) return;
    this.#known.set(projectId, { ...known, bytes: known.bytes - bytes });
  }

  /** What was read or subtracted has not come to be. */
  clear(): void {
    this.#known.clear();
  }

  async #sumAll(projectId: string): Promise<KnownSum> {
    const before = this.#underWay.get(projectId);
    if (before !== undefined) {
      // It may have begun before what the asker knows of.
      await before.catch(() => {});
      const next = this.#underWay.get(projectId);
      if (next !== undefined && next !== before) return await next;
    }
    const adding = this.#addUp(projectId);
    this.#underWay.set(projectId, adding);
    try {
      return await adding;
    } finally {
      if (this.#underWay.get(projectId) === adding) this.#underWay.delete(projectId);
    }
  }

  async #addUp(projectId: string): Promise<KnownSum> {
    const addedUpAt = this.#now();
    const sum = { addedUpAt, ...await this.#sum(projectId, 0) };
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    this.#known.set(projectId, sum);
    return sum;
  }

  /** Of rows behind a place, and the last of them. */
  async #sum(projectId: string, after: number): Promise<{ bytes: number; place: number }> {
    const row = await this.#ask.get(
      `SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(max(place), ?1::bigint) AS place
       FROM uploaded_files WHERE project_id = ?2 AND place > ?1::bigint`,
      after,
      projectId,
    );
    return { bytes: Number(row!.bytes), place: Number(row!.place) };
  }
}
