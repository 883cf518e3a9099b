/**
 * Who was refused calls, how often and why: throttled, out of money, not allowed, no route.
 *
 * @module
 */

import * as z from "zod";
import { hourOf } from "../domain/budgets.ts";
import type { Shown } from "../documents/shown.ts";
import { REFUSAL_HOURS } from "../domain/refused_request.ts";
import type { RefusalGroup, RefusalLine } from "../storage/ports/refusals.ts";
import { heldToProject } from "./accounts/own_project.ts";
import { listField, shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { readSpan, spanFields } from "./base/moments.ts";
import { defineOperation } from "./base/operation.ts";
import { optionWords } from "./base/option_words.ts";

/** What the counts can be grouped by. */
export const REFUSAL_GROUPS = ["project", "key", "model", "reason", "day", "hour"] as const;

const refusalRow = z.object({
  project: z.string().nullable().optional().describe("null of keys that are not known"),
  key: z.string().nullable().optional().describe(
    "Its id; null of keys that are not known, and of those that are counted together",
  ),
  model: z.string().nullable().optional().describe(
    "null where none was known, and of those that are counted together",
  ),
  reason: z.string().optional().describe("The error code"),
  why: z.string().nullable().optional().describe(
    "What decided, such as project_requests_per_minute; null: the code says all",
  ),
  day: z.iso.date().optional().describe("UTC date"),
  hour: z.string().optional().describe("Its beginning, UTC, as 2026-11-21T10:00:00Z"),
  refusals: shownCount,
  last_at: shownTime,
});

export type RefusalRow = Shown<typeof refusalRow>;

/** More lines than a report can be read. */
const MOST_LINES = 10_000;
const HOUR_MS = 3_600_000;

export const reportRefusals = defineOperation({
  name: "refusals.report",
  method: "GET",
  path: "/refusals",
  role: "viewer",
  summary: "Count requests that were refused before they became calls, by whole hours.",
  input: z.strictObject({
    by: listField(z.enum(REFUSAL_GROUPS))
      .describe(`${REFUSAL_GROUPS.join(", ")} (default: project,reason)`)
      .register(optionWords, { placeholder: "groups" }),
    project: z.string().min(1).optional().describe("only this project"),
    key: z.string().min(1).optional().describe("only this key, by its id"),
    model: z.string().min(1).optional().describe("only this model"),
    reason: z.string().min(1).optional().describe("only this error code"),
    ...spanFields(`${REFUSAL_HOURS / 24} days ago, as far as they are kept`),
  }),
  output: z.object({
    object: z.literal("refusal_report"),
    data: z.array(refusalRow).describe("The most refusals first"),
    has_more: z.boolean().describe(`Whether there are more than ${MOST_LINES} lines`),
  }),
  errors: [],
  heldTo: heldToProject,
  async run(deps, input) {
    const { fromMs, toMs } = readSpan(input, deps.clock.now());
    const { by = ["project", "reason"], project, key, model, reason } = input;
    await deps.refusals?.flush();
    const lines = await deps.storage.refusals.report({
      by,
      projectId: project,
      keyId: key,
      model,
      reason,
      fromHour: fromMs === undefined ? undefined : hourOf(fromMs),
      // The hour that it ends in counts whole.
      toHour: toMs === undefined ? undefined : Math.ceil(toMs / HOUR_MS),
      limit: MOST_LINES + 1,
    });
    return {
      object: "refusal_report" as const,
      data: lines.slice(0, MOST_LINES).map((line) => rowOf(line, by)),
      has_more: lines.length > MOST_LINES,
    };
  },
});

function rowOf(line: RefusalLine, by: readonly RefusalGroup[]): RefusalRow {
  const { hour = 0, day = 0 } = line;
  const start = new Date(by.includes("hour") ? hour * HOUR_MS : day * 24 * HOUR_MS).toISOString();
  return {
    ...(by.includes("project") && { project: line.projectId || null }),
    ...(by.includes("key") && { key: line.keyId || null }),
    ...(by.includes("model") && { model: line.model || null }),
    ...(by.includes("reason") && { reason: line.reason, why: line.why || null }),
    ...(by.includes("day") && {
      day: new Date(day * 24 * HOUR_MS).toISOString().slice(0, 10),
    }),
    ...(by.includes("hour") && { hour: start.replace(".000", "") }),
    refusals: line.refusals,
    last_at: timeToJson(line.lastAt),
  };
}
