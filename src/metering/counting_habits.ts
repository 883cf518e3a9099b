/**
 * How the upstreams behind routes have counted so far: whether answers took thoughts that
 * nobody is shown, or counts come at all. In memory, empty at start.
 *
 * @module
 */

/**
 * - `thinks`: it has counted thoughts.
 * - `plain`: it has counted, and never any.
 * - `silent`: its streams end without counts.
 */
export type CountingHabit = "thinks" | "plain" | "silent";

/** Beyond any catalogue; then all are learnt anew. */
const MOST_ROUTES = 10_000;

export class CountingHabits {
  readonly #byRoute = new Map<string, CountingHabit>();

  /** `undefined` where nothing is known yet. */
  of(routeId: string): CountingHabit | undefined {
    return this.#byRoute.get(routeId);
  }

  note(routeId: string, habit: CountingHabit): void {
    if (this.#byRoute.size >= MOST_ROUTES) this.#byRoute.clear();
    this.#byRoute.set(routeId, habit);
  }
}
