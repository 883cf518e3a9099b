/**
 * Spans of time in words.
 *
 * @module
 */

/** Milliseconds, whichever way, in the largest unit of which there are two: `90 seconds`, `24 hours`. */
export function spanText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} second${seconds === 1 ? "" : "s"}`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2880
    ? `${Math.round(minutes / 60)} hours`
    : `${Math.round(minutes / 1440)} days`;
}
