/**
 * Files of tasks that need them no more: removed at once, and what could not be
 * removed is tried again until it is gone.
 *
 * @module
 */

import type { FilmStore } from "./film_store.ts";

/** What removing works with. */
export interface LeftoversOptions {
  readonly films: Pick<FilmStore, "removeAll">;
  /** Hears once of each task whose files could not be removed. */
  readonly onError: (error: unknown) => void;
}

/** A start removes what is left of an earlier process. */
export class Leftovers {
  readonly #options: LeftoversOptions;
  readonly #ids = new Set<string>();

  constructor(options: LeftoversOptions) {
    this.#options = options;
  }

  /** Tasks whose files are still there. */
  get size(): number {
    return this.#ids.size;
  }

  /** Removes everything of a task, now or later. Never throws: the task is gone whatever its files do. */
  async remove(taskId: string): Promise<void> {
    try {
      await this.#options.films.removeAll(taskId);
      this.#ids.delete(taskId);
    } catch (error) {
      if (this.#ids.has(taskId)) return;
      this.#ids.add(taskId);
      this.#options.onError(
        new Error(`Cannot remove the files of ${taskId} yet`, { cause: error }),
      );
    }
  }

  /** Tries again what could not be removed. */
  async sweep(): Promise<void> {
    for (const taskId of [...this.#ids]) await this.remove(taskId);
  }
}
