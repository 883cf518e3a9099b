/**
 * A project key, as `GET /v1/key` shows it to its holder.
 *
 * @module
 */

import * as z from "zod";

const limits = z.object({
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
  concurrent: z.int().nullable(),
  open_video_tasks: z.int().nullable().describe("Unfinished video tasks"),
}).describe("null is no limit");

const remaining = z.object({
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
  concurrent: z.int().nullable(),
  open_video_tasks: z.int().nullable(),
}).describe("What the limits leave at this moment; null where there is no limit");

const budgets = z.object({
  daily: z.string().nullable().describe("Per UTC day, 8 fractional digits"),
  monthly: z.string().nullable().describe("Per calendar month, UTC, 8 fractional digits"),
  spend_brake: z.int().nullable().describe("Pauses an hour of more than so many usual ones"),
  spend_brake_floor: z.string().nullable(),
}).describe("null is no budget");

const spending = {
  budgets,
  spent: z.object({ hour: z.string(), day: z.string(), month: z.string() }).describe(
    "What counts against the budgets of the running UTC hour, day and month",
  ),
  paused: z.object({
    at: z.int().describe("Unix time in seconds"),
    spent_in_hour: z.string(),
    usual_hour: z.string(),
    most: z.string().describe("More than this within an hour was too much"),
  }).nullable().describe("What the spend brake saw; null when it has not paused"),
  reached_budgets: z.array(z.enum(["daily", "monthly"])),
};

/** The key, its project and what is left. */
export const keyViewSchema = z.object({
  id: z.string(),
  object: z.literal("key"),
  name: z.string(),
  prefix: z.string().describe("The first characters of the key"),
  expires_at: z.int().nullable().describe("Unix time in seconds"),
  limits,
  remaining,
  ...spending,
  models: z.array(z.string()).describe("Logical models this key may use"),
  project: z.object({
    id: z.string(),
    unlimited: z.boolean().describe("Metered and priced, never charged"),
    currency: z.string(),
    balance: z.string().describe("What can still be spent, 8 fractional digits"),
    held: z.string().describe("Held for calls under way, 8 fractional digits"),
    limits,
    remaining,
    ...spending,
    kept: z.object({
      bytes: z.int(),
      most_bytes: z.int(),
    }).describe("Answers kept of the project, those for an Idempotency-Key included"),
  }),
});

export type KeyView = z.infer<typeof keyViewSchema>;

/** The part of the view about budgets and spending. */
export type SpendingView = Pick<KeyView, "budgets" | "spent" | "paused" | "reached_budgets">;
