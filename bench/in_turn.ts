/**
 * Measures several things in turn, round after round: what disturbs the machine for a while
 * disturbs all of them.
 *
 * @module
 */

/** What each measurement found in each round. */
type FoundBy<Measures extends readonly (() => Promise<unknown>)[]> = {
  [Index in keyof Measures]: Awaited<ReturnType<Measures[Index]>>[];
};

/** One after the other, so many rounds; every second round in the opposite order. */
export async function inTurn<Measures extends readonly (() => Promise<unknown>)[]>(
  rounds: number,
  measures: readonly [...Measures],
): Promise<FoundBy<Measures>> {
  const found = measures.map((): unknown[] => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...measures.entries()];
    if (round % 2 === 1) order.reverse();
    for (const [index, measure] of order) found[index]!.push(await measure());
  }
  return found as FoundBy<Measures>;
}
