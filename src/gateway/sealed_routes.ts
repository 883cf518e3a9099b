/**
 * Which routes sealed thoughts are from, so that a conversation which gives them back stays on its
 * route: nobody else's upstream can read them. Those that are wrapped name it; of others it is kept in
 * memory, and what is forgotten is served by any route, whose upstream leaves out what it cannot read.
 *
 * @module
 */

import type { ThoughtSeals } from "../dialects/turns/thought_seals.ts";

/** Long enough to tell seals apart; their ends are the most different part. */
const COMPARED_CHARACTERS = 96;
/** Conversations that are under way at one time; the oldest are forgotten. */
const MOST_SEALS = 20_000;

export class SealedRoutes {
  readonly #wrapped: Pick<ThoughtSeals, "routeOf">;
  /** By the seal, the oldest first. */
  readonly #routes = new Map<string, string>();

  constructor(wrapped: Pick<ThoughtSeals, "routeOf">) {
    this.#wrapped = wrapped;
  }

  note(seal: string | undefined, routeId: string): void {
    if (seal === undefined) return;
    const key = seal.slice(-COMPARED_CHARACTERS);
    this.#routes.delete(key);
    this.#routes.set(key, routeId);
    if (this.#routes.size <= MOST_SEALS) return;
    for (const oldest of this.#routes.keys()) {
      this.#routes.delete(oldest);
      return;
    }
  }

  /** `undefined` where nothing is known of it. */
  routeOf(seal: string | undefined): string | undefined {
    if (seal === undefined) return undefined;
    return this.#wrapped.routeOf(seal) ?? this.#routes.get(seal.slice(-COMPARED_CHARACTERS));
  }
}
