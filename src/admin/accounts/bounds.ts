/**
 * What bounds a project or key, as administration takes and shows it: limits, budgets, quotas
 * and the models that it may use. Amounts are decimal strings.
 *
 * @module
 */

import * as z from "zod";
import {
  BUDGETS,
  LIMITS,
  QUOTAS as QUOTA_FIELDS,
  type SpelledFields,
} from "../../catalog/spelled_fields.ts";
import { boundedList } from "../../documents/bounded.ts";
import { byteSize } from "../../documents/byte_size.ts";
import type { Shown } from "../../documents/shown.ts";
import {
  allowsModel,
  MAX_CACHE_SECONDS,
  MAX_PROMPT_DAYS,
  MAX_QUOTA_BYTES,
} from "../../domain/account.ts";
import { MOST_REDACT_PATTERNS } from "../../domain/redact_pattern.ts";
import { redactPatternSchema } from "../../catalog/redact_pattern_schema.ts";
import { amountField, shownCount } from "../base/fields.ts";
import type { AdminDeps } from "../base/deps.ts";
import { optionWords } from "../base/option_words.ts";

const count = z.int().min(1).max(1_000_000_000_000);

/** Limits as JSON: an absent one is no limit. */
export const limitsField = z.strictObject({
  requests_per_minute: count.describe("limit of requests per minute"),
  tokens_per_minute: count.describe("limit of tokens per minute"),
  concurrent: count.describe("limit of calls at one time"),
  open_video_tasks: count.describe("limit of unfinished video tasks"),
}).partial();

const times = z.int().min(2).max(1_000_000).register(optionWords, { placeholder: "times" });

/** Budgets as JSON: an absent one is none. */
export const budgetsField = z.strictObject({
  daily: amountField.describe("most that is spent in a UTC day")
    .register(optionWords, { option: "daily-budget", placeholder: "amount" }),
  monthly: amountField.describe("most that is spent in a calendar month, UTC")
    .register(optionWords, { option: "monthly-budget", placeholder: "amount" }),
  spend_brake: times.describe("pause when an hour costs more than so many usual ones"),
  spend_brake_floor: amountField
    .describe("the brake leaves hours alone that cost no more (default: 1.00)")
    .register(optionWords, { placeholder: "amount" }),
}).partial();

const bytes = byteSize({ min: 0, max: MAX_QUOTA_BYTES })
  .register(optionWords, { placeholder: "size", orNone: "none for what all have" });

const quotasField = z.strictObject({
  kept_bytes: bytes.describe("most that is kept of its answers, such as 1GiB"),
  video_bytes: bytes.describe("most that its films may take, such as 50GB"),
  file_bytes: bytes.describe("most that its uploaded files may take, such as 5GB"),
  cache_seconds: z.int().min(1).max(MAX_CACHE_SECONDS)
    .describe("how long equal requests get the same answer, free of charge"),
  cache_bytes: bytes.describe("most that such answers may take (default: 64MiB)"),
  prompt_days: z.int().min(1).max(MAX_PROMPT_DAYS)
    .describe("keep what its calls said for so many days")
    .register(optionWords, { placeholder: "days" }),
  prompt_bytes: bytes.describe("most that what is kept so may take (default: 256MiB)"),
  redact: boundedList(redactPatternSchema, { most: MOST_REDACT_PATTERNS }).min(1)
    .describe("take this out before: words, # a digit, ? a character, one * for many")
    .register(optionWords, { placeholder: "patterns" }),
}).partial();

/** Quotas as they are shown: in bytes. */
export const shownQuotas = z.object({
  kept_bytes: shownCount,
  video_bytes: shownCount,
  file_bytes: shownCount,
  cache_seconds: shownCount,
  cache_bytes: shownCount,
  prompt_days: shownCount,
  prompt_bytes: shownCount,
  redact: z.array(z.string()),
}).partial();

/** Which models: ids, prefixes that end in `*`, or `*`. */
export const modelPatternsField = boundedList(
  z.string().max(200).regex(
    /^(\*|[A-Za-z0-9][A-Za-z0-9._:@+/-]*\*?)$/,
    "Expected a model id, a prefix that ends in '*', or '*'",
  ),
  { most: 1_000 },
).min(1, "Name at least one model, or '*' for all")
  .register(optionWords, { placeholder: "patterns" });

/** Fields of which each may also be `null`, which takes away what was set. */
type Patch<Fields extends Record<string, z.ZodType>> = {
  [Name in keyof Fields]: z.ZodNullable<Fields[Name]>;
};

/** Bounds of one kind: as they are given, changed, shown and stored. */
function boundsOf<Fields extends Record<string, z.ZodType>, Value>(
  field: z.ZodObject<Fields>,
  { read, write }: SpelledFields<Value>,
) {
  const fields = Object.entries(field.shape).map(([name, one]) => [name, one.nullable()]);
  return {
    field,
    /** In which `null` takes a bound away. */
    patch: z.strictObject(Object.fromEntries(fields) as Patch<Fields>),
    read,
    /** The value with what a patch says. */
    change: (before: Value, patch: object | undefined): Value =>
      read({ ...write(before), ...patch }),
    show: write,
  };
}

export const limits = boundsOf(limitsField, LIMITS);
export const budgets = boundsOf(budgetsField, BUDGETS);
export const quotas = boundsOf(quotasField, QUOTA_FIELDS);

export type LimitsJson = Shown<typeof limitsField>;

/** One line for each pattern that no model fits; a model may still come, so it is no error. */
export function patternWarnings(
  { catalogue }: Pick<AdminDeps, "catalogue">,
  patterns: readonly string[] | null = [],
): readonly string[] {
  const { models } = catalogue.current;
  return (patterns ?? [])
    .filter((pattern) => pattern !== "*")
    .filter((pattern) => !models.some(({ id }) => allowsModel([pattern], id)))
    .map((pattern) => `No model fits '${pattern}' now: see \`tollgate models list\``);
}
