/**
 * `GET /v1/key`: what the calling key is, may use and has left.
 *
 * @module
 */

import { mayUse } from "../../accounts/key_directory.ts";
import type { Budgets } from "../../domain/budgets.ts";
import type { Limits } from "../../domain/catalogue.ts";
import type { SpendSubject } from "../../domain/spending.ts";
import type { LimitSubject } from "../../limits/limiter.ts";
import { formatAmount } from "../../domain/money.ts";
import type { ApiDeps } from "../context/api_deps.ts";
import { type KeyView, keyViewSchema, type SpendingView } from "../schemas/key_view.ts";
import { jsonEndpoint } from "./shape/keyed_endpoint.ts";

export const retrieveKey = jsonEndpoint({
  path: "/key",
  id: "retrieveKey",
  summary: "What the calling key is, may use and has left",
  answer: keyViewSchema,
  errors: [],
  tell: (deps) => ({ caller }) => {
    const { key, project } = caller;
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
      },
    };
  },
});

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
