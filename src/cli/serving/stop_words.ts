/**
 * What a server says when it begins to stop.
 *
 * @module
 */

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
