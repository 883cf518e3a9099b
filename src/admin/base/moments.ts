/**
 * Reads the times that operators write: dates, times and durations.
 *
 * @module
 */

import * as z from "zod";
import { GatewayError } from "../../errors.ts";
import { optionWords } from "./option_words.ts";

const DURATION = /^(-?)(\d{1,6})\s?(m|h|d|w)$/;
const DAYS_AGO: ReadonlyMap<string, number> = new Map([["today", 0], ["yesterday", 1]]);
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;
const DAY_MS = 86_400_000;
const UNITS_MS = { m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS } as const;

/** How to read a moment. */
export interface MomentOptions {
  readonly nowMs: number;
  /** Which way a duration counts from now. */
  readonly duration: "ahead" | "ago";
  /** Where in its day (UTC) a date without a time is. Default: its start. */
  readonly date?: "start" | "end";
  /** The input's field, for the error. */
  readonly param: string;
}

/**
 * Milliseconds since the epoch of a date (`2026-12-31`, UTC), a time with its
 * zone (`2026-12-31T18:00Z`) or a duration from now (`90m`, `12h`, `30d`, `2w`). Looking back,
 * a duration may have its minus (`-7d`), and days may be `today` and `yesterday`.
 *
 * @throws {GatewayError} `invalid_value`.
 */
export function readMoment(text: string, options: MomentOptions): number {
  const duration = DURATION.exec(text);
  const isBack = options.duration === "ago";
  if (duration !== null && (duration[1] === "" || isBack)) {
    const ms = Number(duration[2]) * UNITS_MS[duration[3] as keyof typeof UNITS_MS];
    return options.nowMs + (options.duration === "ahead" ? ms : -ms);
  }
  const daysAgo = isBack ? DAYS_AGO.get(text) : undefined;
  if (daysAgo !== undefined) {
    const start = Math.floor(options.nowMs / DAY_MS - daysAgo) * DAY_MS;
    return options.date === "end" ? start + DAY_MS : start;
  }
  const isDate = DATE.test(text);
  const at = isDate || TIME.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(at) || (isDate && !isSameDay(at, text))) {
    throw new GatewayError(
      "invalid_value",
      `Cannot read '${text}' as a time: expected a date (2026-12-31), a time with its zone (2026-12-31T18:00Z) or a duration (90m, 12h, 30d, 2w)`,
      { param: options.param },
    );
  }
  return isDate && options.date === "end" ? at + DAY_MS : at;
}

const momentField = z.string().optional().register(optionWords, { placeholder: "when" });

/**
 * The fields of an operation that looks at a span of time.
 *
 * @param start What it begins with where `from` is not given.
 */
export function spanFields(start: string) {
  return {
    from: momentField.describe(
      `date, today, yesterday, time with zone, or how long ago (24h, 7d); default: ${start}`,
    ),
    to: momentField.describe("the same; default: now"),
  };
}

/**
 * The span that {@linkcode spanFields} tell, in milliseconds since the epoch: a date as `to` is in
 * it whole.
 *
 * @throws {GatewayError} `invalid_value`, also when it ends before it begins.
 */
export function readSpan(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
): { readonly fromMs: number | undefined; readonly toMs: number | undefined } {
  const read = (text: string | undefined, param: "from" | "to") =>
    text === undefined ? undefined : readMoment(text, {
      nowMs,
      duration: "ago",
      date: param === "from" ? "start" : "end",
      param,
    });
  const fromMs = read(from, "from");
  const toMs = read(to, "to");
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    throw new GatewayError(
      "invalid_value",
      `Cannot look at what is from ${from} to ${to}: it ends first`,
      { param: "to" },
    );
  }
  return { fromMs, toMs };
}

/** Refuses 2026-02-30, which some readers take for the 2nd of March. */
function isSameDay(at: number, text: string): boolean {
  return new Date(at).toISOString().startsWith(text);
}
