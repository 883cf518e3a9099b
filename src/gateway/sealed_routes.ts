/**
 * Which routes sealed thoughts are from, so that a conversation which gives them back stays on its
 * route: nobody else's upstream can read them. Those that are wrapped name it; of others it is kept in
 * memory, each project's apart, and between two runs in a file. What is forgotten is served by any route,
 * whose upstream is asked again without what it cannot read.
 *
 * @module
 */

import { asArray } from "../domain/json_value.ts";
import type { ThoughtSeals } from "../dialects/turns/thought_seals.ts";

/** Long enough to tell seals apart; their ends are the most different part. */
const COMPARED_CHARACTERS = 48;
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
  #isChanged = false;

  constructor(wrapped: Pick<ThoughtSeals, "routeOf">) {
    this.#wrapped = wrapped;
  }

  note(projectId: string, seal: string | undefined, routeId: string): void {
    if (seal !== undefined) this.#put(projectId, seal.slice(-COMPARED_CHARACTERS), routeId);
  }

  /** All that is known, as {@linkcode load} takes it; `undefined` where nothing is new since the last time. */
  changes(): string | undefined {
    if (!this.#isChanged) return undefined;
    this.#isChanged = false;
    return this.all();
  }

  /** All that is known, likewise. */
  all(): string {
    return JSON.stringify([...this.#books].map(([id, book]) => [id, [...book]]));
  }

  /**
   * Takes over what an earlier run has known; what is no such thing is left out.
   *
   * @throws {SyntaxError} Of what is no JSON.
   */
  load(text: string): void {
    for (const entry of asArray(JSON.parse(text))) {
      const [projectId, book] = asArray(entry);
      for (const pair of asArray(book)) {
        const [seal, route] = asArray(pair);
        if ([projectId, seal, route].every((one) => typeof one === "string")) {
          this.#put(projectId as string, seal as string, route as string);
        }
      }
    }
    this.#isChanged = false;
  }

  #put(projectId: string, key: string, routeId: string): void {
    this.#isChanged = true;
    const book: Book = this.#books.get(projectId) ?? new Map();
    this.#books.delete(projectId);
    this.#books.set(projectId, book);
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
