/**
 * Hours of the day in which only what is grave is told.
 *
 * @module
 */

/** From a minute of the day to another one, which may be of the next day. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
  /** Such as `Europe/Berlin`. */
  readonly zone: string;
}

const HOURS = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)(?: +([\w+/-]{1,64}))?$/;

/** `22:00-07:00 Europe/Berlin`; `undefined` for what is none, such as with a zone nobody knows. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const [, fromHour, from, toHour, to, zone = "UTC"] = HOURS.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const fromMinute = Number(fromHour) * 60 + Number(from);
  const toMinute = Number(toHour) * 60 + Number(to);
  // A day without an hour that is not quiet, or without one that is: neither is meant.
  if (fromMinute === toMinute) return undefined;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return { fromMinute, toMinute, zone };
}

/** As it is given. */
export function formatQuietHours({ fromMinute, toMinute, zone }: QuietHours): string {
  return `${clockTime(fromMinute)}-${clockTime(toMinute)} ${zone}`;
}

/** Whether a time, in milliseconds since the epoch, lies in them. */
export function isQuiet({ fromMinute, toMinute, zone }: QuietHours, at: number): boolean {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)!.value);
  const minute = of("hour") * 60 + of("minute");
  return fromMinute < toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}

function clockTime(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${
    String(minute % 60).padStart(2, "0")
  }`;
}
