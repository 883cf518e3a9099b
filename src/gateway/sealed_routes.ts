/**
 * Which routes sealed thoughts are from, so that a conversation which gives them back stays on its
 * route: nobody else's upstream can read them. Those that are wrapped name it; of others it is kept in
 * memory, each project's apart, and what is forgotten is served by any route, whose upstream leaves out
 * what it cannot read.
 *
 * @module
 */

import type { ThoughtSeals } from "../dialects/turns/thought_seals.ts";

/** Long enough to tell seals apart; their ends are the most different part. */
const COMPARED_CHARACTERS = 96;
/** Conversations of a project that are under way at one time; the oldest are forgotten. */
const MOST_OF_PROJECT = 4_000;
/** Of all; then the project that has got none for the longest time is forgotten. */
const MOST_SEALS = 40_000;

/** By the seal, the oldest first. */
type Book = Map<string, string>;

export class SealedRoutes {
  readonly #wrapped: Pick<ThoughtSeals, "routeOf">;
  /** By the project, the one that got none for the longest time first. */
  readonly #books = new Map<string, Book>();
  #size = 0;

  constructor(wrapped: Pick<ThoughtSeals, "routeOf">) {
    this.#wrapped = wrapped;
  }

  note(projectId: string, seal: string | undefined, routeId: string): void {
    if (seal === undefined) return;
    const book: Book = this.#books.get(projectId) ?? new Map();
    this.#books.delete(projectId);
    this.#books.set(projectId, book);
    const key = seal.slice(-COMPARED_CHARACTERS);
    if (book.delete(key)) this.#size--;
    book.set(key, routeId);
    this.#size++;
    if (book.size > MOST_OF_PROJECT) {
      book.delete(firstOf(book)!);
      this.#size--;
    }
    if (this.#size <= MOST_SEALS) return;
    const quiet = firstOf(this.#books)!;
    this.#size -= this.#books.get(quiet)!.size;
    this.#books.delete(quiet);
  }

  /** `undefined` where nothing is known of it. */
  routeOf(projectId: string, seal: string | undefined): string | undefined {
    if (seal === undefined) return undefined;
    return this.#wrapped.routeOf(seal) ??
      this.#books.get(projectId)?.get(seal.slice(-COMPARED_CHARACTERS));
  }
}

function firstOf(map: ReadonlyMap<string, unknown>): string | undefined {
  for (const key of map.keys()) return key;
  return undefined;
}
