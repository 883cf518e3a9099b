/**
 * Fields of what operations take and answer: amounts and times have one spelling everywhere.
 *
 * @module
 */

import { isAbsolute } from "node:path";
import * as z from "zod";
import { boundedList } from "../../documents/bounded.ts";
import { tryParseAmount } from "../../domain/money.ts";

/** A path on the gateway's machine. */
export const pathField = z.string().min(1).max(4096).refine(
  (path) => isAbsolute(path) && !path.includes("\0"),
  "Expected an absolute path",
);

/** A positive amount of money as a decimal string. */
export const amountField = z.string().refine(
  (text) => (tryParseAmount(text) ?? 0n) > 0n,
  "Expected a positive decimal number with at most 8 digits after the point, such as 25.00",
);

/** Digits alone: no sign, blank, fraction, exponent or leading zero. */
const DIGITS = /^(?:0|[1-9]\d{0,14})$/;

/** A whole number where all values are texts, as in a query. */
export function wholeNumberField<T extends z.ZodType<number, number>>(number: T) {
  return z.preprocess((value, context) => {
    if (typeof value !== "string") return value;
    if (DIGITS.test(value)) return Number(value);
    context.addIssue({ code: "custom", message: "Expected a whole number, in digits alone" });
    return z.NEVER;
  }, number);
}

/** A yes or no where all values are texts, as in a query. */
export const switchField = z.preprocess(
  (value) => value === "true" ? true : value === "false" ? false : value,
  z.boolean(),
);

const MOST_PARTS = 100;

/** A list in a query: repeated, or separated by commas. */
export function listField<T extends z.ZodType>(item: T) {
  return z.preprocess(
    (value) => {
      if (value === undefined) return undefined;
      const parts = Array.isArray(value) ? value : [value];
      return parts.flatMap((part) =>
        typeof part === "string" ? part.split(",", MOST_PARTS + 1) : [part]
      );
    },
    boundedList(item, { most: MOST_PARTS }).optional(),
  );
}

/** Milliseconds since the epoch as RFC 3339, UTC; `null` for none. */
export function timeToJson(at: number): string;
export function timeToJson(at: number | undefined): string | null;
export function timeToJson(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** An amount of money: a decimal string with 8 fractional digits. */
export const shownAmount = z.string().regex(/^-?\d+\.\d{8}$/);

/** A moment: RFC 3339, UTC, in milliseconds. */
export const shownTime = z.iso.datetime({ precision: 3 });

/** How many there are. */
export const shownCount = z.int().min(0);

/** What an operation wants its user to know besides, line by line. */
export const warningsField = z.array(z.string()).describe(
  "What may work otherwise than one thinks",
);

/** What is gone for good. */
export const deletedAnswer = z.object({ id: z.string(), deleted: z.literal(true) });
