/**
 * The catalogue file: providers, models, routes, prices and project settings.
 * Unknown keys are errors. What concerns several parts at once (ids, references)
 * is in `cross_check.ts`.
 *
 * @module
 */

import * as z from "zod";
import { boundedList, FAULTS_TOLD } from "../documents/bounded.ts";
import { byteSize } from "../documents/byte_size.ts";
import { MAX_CACHE_SECONDS, MAX_PROMPT_DAYS, MAX_QUOTA_BYTES } from "../domain/account.ts";
import { DEFAULT_BRAKE_FLOOR_E8 } from "../domain/budgets.ts";
import { MODEL_KINDS } from "../domain/capabilities.ts";
import { formatAmount, tryParseAmount } from "../domain/money.ts";
import { MOST_REDACT_PATTERNS } from "../domain/redact_pattern.ts";
import { providerSchema, shortId } from "./provider_schema.ts";
import { longId, wideId } from "./model_ids.ts";
import { redactPatternSchema } from "./redact_pattern_schema.ts";
import { count, routeSchema } from "./route_schema.ts";

/** One entry of `models`. */
export const modelSchema = z.strictObject({
  id: wideId.describe(
    "The logical model's name, as callers write it; with /* at its end every name that begins so, " +
      "served at the prices of its routes.",
  ),
  kind: z.enum(MODEL_KINDS).describe("What the model does."),
  aliases: boundedList(longId, { most: 100, faults: FAULTS_TOLD }).default([]).describe(
    "Further names of the model.",
  ),
  manual_selection: z.boolean().default(true).describe(
    "Whether callers may name `provider` or `route`.",
  ),
  routes: boundedList(routeSchema, { most: 2_000, faults: FAULTS_TOLD }).default([]).describe(
    "Ways to serve the model.",
  ),
});

const budget = z.string().refine(
  (text) => (tryParseAmount(text) ?? 0n) > 0n,
  'Expected a positive amount in quotes with at most 8 digits after the point, such as "25.00"',
);

const bytes = byteSize({ min: 0, max: MAX_QUOTA_BYTES });

const projectSchema = z.strictObject({
  id: shortId.describe("The project's name."),
  unlimited: z.boolean().default(false).describe(
    "Metered and priced but never charged; otherwise the project spends its balance, from 0.",
  ),
  models: boundedList(
    z.string().max(200).regex(
      /^(\*|[A-Za-z0-9][A-Za-z0-9._:@+/-]*\*?)$/,
      "Expected a model id, a prefix that ends in '*', or '*'",
    ),
    { most: 1_000, faults: FAULTS_TOLD },
  ).default(["*"]).describe("Models the project may use: ids, prefix*, or *."),
  limits: z.strictObject({
    requests_per_minute: count.optional().describe("Calls in 60 seconds. Default: no limit."),
    tokens_per_minute: count.optional().describe("Tokens in 60 seconds. Default: no limit."),
    concurrent: count.optional().describe("Calls at one time. Default: no limit."),
    open_video_tasks: count.optional().describe("Unfinished video tasks. Default: no limit."),
  }).default({}).describe("Limits over all keys of the project."),
  budgets: z.strictObject({
    daily: budget.optional().describe("Most that is spent in a UTC day. Default: no budget."),
    monthly: budget.optional().describe(
      "Most that is spent in a calendar month, UTC. Default: no budget.",
    ),
    spend_brake: z.int().min(2).max(1_000_000).optional().describe(
      "Pauses the project when an hour costs more than so many usual ones. Default: no brake.",
    ),
    spend_brake_floor: budget.optional().describe(
      `The brake leaves hours alone that cost no more. Default: ${
        formatAmount(DEFAULT_BRAKE_FLOOR_E8).slice(0, -6)
      }.`,
    ),
  }).default({}).describe("What the project may spend, over all of its keys."),
  quotas: z.strictObject({
    kept_bytes: bytes.optional().describe(
      "What is kept of its answers, such as 1GiB. Default: kept_bytes_per_project.",
    ),
    video_bytes: bytes.optional().describe(
      "What its films may take, such as 50GB. Default: video_quota_bytes_per_project.",
    ),
    file_bytes: bytes.optional().describe(
      "What its uploaded files may take, such as 5GB. Default: file_quota_bytes_per_project.",
    ),
    cache_seconds: z.int().min(1).max(MAX_CACHE_SECONDS).optional().describe(
      "How long equal requests get the same answer, free of charge. Default: each is a call.",
    ),
    cache_bytes: bytes.optional().describe(
      "What such answers may take; the oldest make way. Default: 64MiB.",
    ),
    prompt_days: z.int().min(1).max(MAX_PROMPT_DAYS).optional().describe(
      "For how many days what its calls said is kept. Default: none of it is.",
    ),
    prompt_bytes: bytes.optional().describe(
      "What that may take; the oldest make way. Default: 256MiB.",
    ),
    redact: boundedList(redactPatternSchema, { most: MOST_REDACT_PATTERNS }).optional().describe(
      "What is taken out of it besides: words, with # for a digit, ? for a character and one * for many. Default: nothing more than the known forms of secrets.",
    ),
  }).prefault({}).describe("What the project may take of the disk."),
});

/** The whole file. */
export const catalogueFileSchema = z.strictObject({
  revision: z.int().min(1).optional().describe(
    "Which state of the file this is: an older one than was applied last is refused, and so is " +
      "another one of the same number. Default: any is applied.",
  ),
  currency: z.string().regex(/^[A-Z]{3}$/, "Expected three capital letters such as USD")
    .default("USD").describe("Currency of every price and balance (ISO 4217)."),
  providers: boundedList(providerSchema, { most: 1_000, faults: FAULTS_TOLD }).prefault([])
    .describe("Upstream accounts."),
  models: boundedList(modelSchema, { most: 2_000, faults: FAULTS_TOLD }).default([]).describe(
    "Logical models.",
  ),
  projects: boundedList(projectSchema, { most: 10_000, faults: FAULTS_TOLD }).prefault([]).describe(
    "Settings of projects. Balances and keys are never in the file.",
  ),
}).describe("Tollgate's catalogue file.");

/** {@linkcode catalogueFileSchema}'s value: defaults filled in. */
export type CatalogueFile = z.output<typeof catalogueFileSchema>;
/** One entry of `models`. */
export type FileModel = CatalogueFile["models"][number];
/** One entry of `projects`. */
export type FileProject = CatalogueFile["projects"][number];

/** JSON Schema (2020-12) of what an operator may write; defaults and descriptions included. */
export function catalogueJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    ...z.toJSONSchema(catalogueFileSchema, { io: "input" }),
    title: "Tollgate catalogue",
  };
}
