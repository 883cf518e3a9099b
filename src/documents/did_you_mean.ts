/**
 * Finds the word somebody probably meant.
 *
 * @module
 */

/** The candidate nearest to `word`, or `undefined` when none is near enough to suggest. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  // One slip in a short word, about a third of a longer one.
  let nearest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let found: string | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < nearest) {
      nearest = distance;
      found = candidate;
    }
  }
  return found;
}

/** Insertions, deletions, replacements, and neighbours that have changed places. */
function editDistance(from: string, to: string): number {
  let beforeThat: readonly number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      const swapped = isSwapped ? beforeThat[column - 2]! + 1 : Infinity;
      current.push(Math.min(replaced, swapped, previous[column]! + 1, current[column - 1]! + 1));
    }
    beforeThat = previous;
    previous = current;
  }
  return previous[to.length]!;
}
