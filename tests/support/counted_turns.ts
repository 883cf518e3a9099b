/**
 * How many turns others get while some work goes on.
 *
 * @module
 */

/** Does some work, and counts how often a timer has its turn meanwhile. */
export async function countedTurns<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly turns: number; readonly result: T }> {
  let turns = 0;
  const turn = () => {
    turns++;
    next = setTimeout(turn);
  };
  let next = setTimeout(turn);
  try {
    const result = await work();
    return { turns, result };
  } finally {
    clearTimeout(next);
  }
}
