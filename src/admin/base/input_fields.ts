/**
 * Fields that several operations take: limits, model patterns, times.
 *
 * @module
 */

import { isAbsolute } from "node:path";
import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { boundedList } from "../../documents/bounded_list.ts";
import type { Limits } from "../../domain/catalogue.ts";
import { tryParseAmount } from "../../domain/money.ts";
import { optionWords } from "./option_words.ts";

const count = z.int().min(1).max(1_000_000_000_000);

/** Limits as JSON: an absent one is no limit. */
export const limitsField = z.strictObject({
  requests_per_minute: count.describe("limit of requests per minute"),
  tokens_per_minute: count.describe("limit of tokens per minute"),
  concurrent: count.describe("limit of calls at one time"),
  open_video_tasks: count.describe("limit of unfinished video tasks"),
}).partial();

/** The value of {@linkcode limitsField}. */
export type LimitsJson = Shown<typeof limitsField>;

/** Fields of which each may also be `null`, which takes away what was set. */
type Patch<Fields extends Record<string, z.ZodType>> = {
  [Name in keyof Fields]: z.ZodNullable<Fields[Name]>;
};

/** The same object, in which `null` takes a value away. */
export function patchOf<Fields extends Record<string, z.ZodType>>(
  object: z.ZodObject<Fields>,
): z.ZodObject<Patch<Fields>> {
  const fields = Object.entries(object.shape).map(([name, field]) => [name, field.nullable()]);
  return z.strictObject(Object.fromEntries(fields) as Patch<Fields>);
}

/** Limits in which `null` takes a limit away. */
export const limitsPatchField = patchOf(limitsField);

/** Which models: ids, prefixes that end in `*`, or `*`. */
export const modelPatternsField = boundedList(
  z.string().max(200).regex(
    /^(\*|[A-Za-z0-9][A-Za-z0-9._:@+/-]*\*?)$/,
    "Expected a model id, a prefix that ends in '*', or '*'",
  ),
  { most: 1_000 },
).min(1, "Name at least one model, or '*' for all")
  .register(optionWords, { placeholder: "patterns" });

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

/** Limits from JSON. */
export function toLimits(json: z.output<typeof limitsPatchField>): Limits {
  return given({
    requestsPerMinute: json.requests_per_minute ?? undefined,
    tokensPerMinute: json.tokens_per_minute ?? undefined,
    concurrent: json.concurrent ?? undefined,
    openVideoTasks: json.open_video_tasks ?? undefined,
  });
}

/** Limits as JSON. */
export function limitsToJson(limits: Limits): LimitsJson {
  return given({
    requests_per_minute: limits.requestsPerMinute,
    tokens_per_minute: limits.tokensPerMinute,
    concurrent: limits.concurrent,
    open_video_tasks: limits.openVideoTasks,
  });
}

/** The object without its undefined values, so that absent means absent. */
function given<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Milliseconds since the epoch as RFC 3339, UTC; `null` for none. */
export function timeToJson(at: number): string;
export function timeToJson(at: number | undefined): string | null;
export function timeToJson(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
