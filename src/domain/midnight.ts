/**
 * When a day ends, somewhere.
 *
 * @module
 */

const DAY_SECONDS = 86_400;

/**
 * Seconds until the next midnight of a time zone.
 *
 * @param now Milliseconds since the epoch.
 * @param timeZone As IANA names it, such as `America/Los_Angeles`.
 */
export function secondsToMidnight(now: number, timeZone: string): number {
  const guess = now + (DAY_SECONDS - secondsOfDay(now, timeZone)) * 1_000;
  // Where clocks are changed on the way, it is an hour beside.
  const beside = secondsOfDay(guess, timeZone);
  const off = beside > DAY_SECONDS / 2 ? beside - DAY_SECONDS : beside;
  return Math.ceil((guess - now) / 1_000 - off);
}

function secondsOfDay(now: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(now);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return of("hour") * 3_600 + of("minute") * 60 + of("second");
}
