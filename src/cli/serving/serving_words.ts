/**
 * What a server says of itself while it serves.
 *
 * @module
 */

import type { Unfinished } from "./stop_words.ts";

/** One line: where it serves, and what is under way. */
export function servingWords(baseUrl: string, { calls, films }: Unfinished): string {
  return `Serving at ${baseUrl}/v1; ${counted(calls, "call")} and ${
    counted(films, "film")
  } under way`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
