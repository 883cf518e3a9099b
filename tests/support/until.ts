/**
 * Waiting for something that nobody announces.
 *
 * @module
 */

const LOOK_EVERY_MS = 20;

/**
 * Looks until `look` gives something other than `undefined` or `false`, and gives
 * that. Only a guard against waiting for ever: nothing is measured by it.
 *
 * @throws {Error} When it takes longer than `withinMs`.
 */
export async function until<Found>(
  what: string,
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
  { withinMs = 60_000, everyMs = LOOK_EVERY_MS }: {
    readonly withinMs?: number;
    readonly everyMs?: number;
  } = {},
): Promise<Found> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Cannot wait longer for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
