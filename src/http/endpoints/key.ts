/**
 * `GET /v1/key`: what the calling key is, may use and has left.
 *
 * @module
 */

import * as z from "zod";
import { mayUse } from "../../accounts/key_directory.ts";
import type { Budgets } from "../../domain/budgets.ts";
import type { Limits } from "../../domain/catalogue.ts";
import type { SpendSubject } from "../../domain/spending.ts";
import type { LimitSubject } from "../../limits/limiter.ts";
import { formatAmount } from "../../domain/money.ts";
import type { ApiDeps } from "../context/api_deps.ts";
import type { Quotas } from "../../domain/account.ts";
import { jsonEndpoint } from "./shape/keyed_endpoint.ts";

const limits = z.lazy(() =>
  z.object({
    requests_per_minute: z.int().nullable(),
    tokens_per_minute: z.int().nullable(),
    concurrent: z.int().nullable(),
    open_video_tasks: z.int().nullable().describe("Unfinished video tasks"),
  }).describe("null is no limit")
);

const remaining = z.lazy(() =>
  z.object({
    requests_per_minute: z.int().nullable(),
    tokens_per_minute: z.int().nullable(),
    concurrent: z.int().nullable(),
    open_video_tasks: z.int().nullable(),
  }).describe("What the limits leave at this moment; null where there is no limit")
);

const budgets = z.lazy(() =>
  z.object({
    daily: z.string().nullable().describe("Per UTC day, 8 fractional digits"),
    monthly: z.string().nullable().describe("Per calendar month, UTC, 8 fractional digits"),
    spend_brake: z.int().nullable().describe("Pauses an hour of more than so many usual ones"),
    spend_brake_floor: z.string().nullable(),
  }).describe("null is no budget")
);

const spending = () => ({
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
});

/** The key, its project and what is left. */
const keyViewSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    object: z.literal("key"),
    name: z.string(),
    prefix: z.string().describe("The first characters of the key"),
    expires_at: z.int().nullable().describe("Unix time in seconds"),
    limits,
    remaining,
    ...spending(),
    models: z.array(z.string()).describe("Logical models this key may use"),
    project: z.object({
      id: z.string(),
      unlimited: z.boolean().describe("Metered and priced, never charged"),
      currency: z.string(),
      balance: z.string().describe("What can still be spent, 8 fractional digits"),
      held: z.string().describe("Held for calls under way, 8 fractional digits"),
      limits,
      remaining,
      ...spending(),
      kept: z.object({
        bytes: z.int(),
        most_bytes: z.int(),
      }).describe("Answers kept of the project, those for an Idempotency-Key included"),
      prompts: z.object({
        days: z.int(),
        redact: z.array(z.string()).describe("What is taken out besides what is known by itself"),
      }).nullable().describe(
        "For how long what calls say is kept for operators and the project's members; null when it is not",
      ),
    }),
  })
);

export type KeyView = z.infer<typeof keyViewSchema>;

/** The part of the view about budgets and spending. */
export type SpendingView = Pick<KeyView, "budgets" | "spent" | "paused" | "reached_budgets">;

export const retrieveKey = jsonEndpoint({
  path: "/key",
  id: "retrieveKey",
  summary: "What the calling key is, may use and has left",
  answer: keyViewSchema,
  errors: [],
  tell: (deps) => async ({ caller }) => {
    const { key, project } = caller;
    await deps.ledger.refresh?.([project.id]);
    const { avail, held } = deps.ledger.balanceOf(project.id);
    const snapshot = deps.catalogue.current;
    return {
      id: key.id,
      object: "key" as const,
      name: key.name,
      prefix: key.prefix,
      expires_at: key.expiresAt === undefined ? null : Math.floor(key.expiresAt / 1000),
      limits: limitsView(key.limits),
      remaining: remainingView(deps, { scope: "key", id: key.id, limits: key.limits }),
      ...spendingView(deps, { scope: "key", id: key.id }, key.budgets),
      models: snapshot.models.filter((model) => mayUse(caller, model.id)).map(({ id }) => id),
      project: {
        id: project.id,
        unlimited: project.unlimited,
        currency: snapshot.catalogue.currency,
        balance: formatAmount(avail),
        held: formatAmount(held),
        limits: limitsView(project.limits),
        remaining: remainingView(deps, {
          scope: "project",
          id: project.id,
          limits: project.limits,
        }),
        ...spendingView(deps, { scope: "project", id: project.id }, project.budgets),
        kept: {
          bytes: deps.room.bytesOf(project.id),
          most_bytes: deps.room.mostBytesOf(project.id),
        },
        prompts: promptsView(project.quotas),
      },
    };
  },
});

function promptsView({ promptDays: days, promptRedact: redact = [] }: Quotas) {
  return days === undefined ? null : { days, redact: [...redact] };
}

function remainingView(
  { limiter, openTasks }: ApiDeps,
  subject: LimitSubject,
): KeyView["remaining"] {
  const { requests, tokens, concurrent } = limiter.remaining(subject);
  return {
    requests_per_minute: requests?.remaining ?? null,
    tokens_per_minute: tokens?.remaining ?? null,
    concurrent: concurrent?.remaining ?? null,
    open_video_tasks: openTasks.remaining(subject)?.remaining ?? null,
  };
}

function limitsView(limits: Limits): KeyView["limits"] {
  return {
    requests_per_minute: limits.requestsPerMinute ?? null,
    tokens_per_minute: limits.tokensPerMinute ?? null,
    concurrent: limits.concurrent ?? null,
    open_video_tasks: limits.openVideoTasks ?? null,
  };
}

function spendingView(
  { spending }: ApiDeps,
  subject: SpendSubject,
  { dailyE8, monthlyE8, brakeTimes, brakeFloorE8 }: Budgets,
): SpendingView {
  const { hourE8, dayE8, monthE8, pause, reached } = spending.view(subject);
  const amount = (amountE8: bigint | undefined) =>
    amountE8 === undefined ? null : formatAmount(amountE8);
  return {
    budgets: {
      daily: amount(dailyE8),
      monthly: amount(monthlyE8),
      spend_brake: brakeTimes ?? null,
      spend_brake_floor: amount(brakeFloorE8),
    },
    spent: {
      hour: formatAmount(hourE8),
      day: formatAmount(dayE8),
      month: formatAmount(monthE8),
    },
    paused: pause === undefined ? null : {
      at: Math.floor(pause.at / 1000),
      spent_in_hour: formatAmount(pause.spentE8),
      usual_hour: formatAmount(pause.usualE8),
      most: formatAmount(pause.mostE8),
    },
    reached_budgets: reached.map((period) => period === "day" ? "daily" : "monthly"),
  };
}
