/**
 * Usage reports: calls, tokens and amounts added up.
 *
 * @module
 */

import * as z from "zod";
import { formatAmount } from "../domain/money.ts";
import { GatewayError } from "../errors.ts";
import type { UsageTotals } from "../storage/ports/storage.ts";
import type { AdminDeps } from "./deps.ts";
import { listField } from "./input_fields.ts";
import { readMoment } from "./moments.ts";
import { defineOperation } from "./operation.ts";

/** What a report can be grouped by. */
export const USAGE_GROUPS = ["project", "model", "provider", "route", "day"] as const;

/** One line of a report. Amounts are decimal strings with 8 fractional digits. */
export interface UsageRow {
  readonly project?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly route?: string;
  /** UTC date. */
  readonly day?: string;
  readonly calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly currency: string;
  readonly cost: string;
  readonly sale: string;
  readonly charged: string;
  readonly loss: string;
}

export const reportUsage = defineOperation({
  name: "usage.report",
  method: "GET",
  path: "/usage",
  summary: "Adds up closed calls, by whole hours.",
  input: z.strictObject({
    by: listField(z.enum(USAGE_GROUPS)),
    project: z.string().min(1).optional(),
    model: z.string().min(1).optional(),
    from: z.string().optional(),
    to: z.string().optional(),
  }),
  async run(deps, input): Promise<readonly UsageRow[]> {
    const { fromMs, toMs } = readSpan(deps, input);
    const totals = await deps.storage.calls.usageTotals({
      groupBy: [...new Set(input.by ?? ["project", "model"] as const)],
      ...(input.project !== undefined && { projectId: input.project }),
      ...(input.model !== undefined && { model: input.model }),
      ...(fromMs !== undefined && { fromMs }),
      ...(toMs !== undefined && { toMs }),
    });
    const { currency } = deps.catalogue.current.catalogue;
    return totals.map((total) => usageRow(total, currency));
  },
});

function readSpan(
  { clock }: AdminDeps,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): { fromMs: number | undefined; toMs: number | undefined } {
  const nowMs = clock.now();
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
    throw new GatewayError("invalid_value", `Cannot report from ${from} to ${to}: it ends first`, {
      param: "to",
    });
  }
  return { fromMs, toMs };
}

function usageRow(total: UsageTotals, currency: string): UsageRow {
  return {
    ...(total.day !== undefined && { day: total.day }),
    ...(total.project !== undefined && { project: total.project }),
    ...(total.model !== undefined && { model: total.model }),
    ...(total.provider !== undefined && { provider: total.provider }),
    ...(total.route !== undefined && { route: total.route }),
    calls: total.calls,
    prompt_tokens: total.promptTokens,
    completion_tokens: total.completionTokens,
    currency,
    cost: formatAmount(total.costE8),
    sale: formatAmount(total.saleE8),
    charged: formatAmount(total.chargedE8),
    loss: formatAmount(total.lossE8),
  };
}
