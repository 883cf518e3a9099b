/**
 * What a server says of itself while it serves.
 *
 * @module
 */

/** One line: where it serves, and what is under way. */
export function servingWords(baseUrl: string, { calls, films }: Unfinished): string {
  return `Serving at ${baseUrl}/v1; ${counted(calls, "call")} and ${
    counted(films, "film")
  } under way`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** What is not over by then. */
export interface Unfinished {
  readonly calls: number;
  readonly films: number;
}

/** One line: what is waited for, and what is left to the next start. */
export function stopWords({ calls, films }: Unfinished): string {
  const underWay = calls === 1 ? "1 call under way has" : `${calls} calls under way have`;
  return [
    calls === 0 ? "Stopping" : `Stopping when ${underWay} ended`,
    films > 0 && `${films === 1 ? "1 film goes" : `${films} films go`} on at the next start`,
    calls > 0 && "the same signal again stops at once",
  ].filter((part) => part !== false).join("; ");
}
