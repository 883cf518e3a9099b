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

/** One after the other, so many rounds. */
export async function inTurn<Measures extends readonly (() => Promise<unknown>)[]>(
  rounds: number,
  measures: readonly [...Measures],
): Promise<FoundBy<Measures>> {
  const found = measures.map((): unknown[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, measure] of measures.entries()) found[index]!.push(await measure());
  }
  return found as FoundBy<Measures>;
}
