/**
 * Usage reports: calls, tokens and amounts added up.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import { DETAIL_FIGURES, type DetailFigure } from "../domain/call_figures.ts";
import { CAPABILITY_NAMES } from "../domain/capabilities.ts";
import { formatAmount } from "../domain/money.ts";
import { GatewayError } from "../errors.ts";
import { knownArchives } from "./archives/known_archives.ts";
import type { KnownArchive } from "./base/archive_report.ts";
import type { AdminDeps } from "./base/deps.ts";
import {
  isByTag,
  type UsageCut,
  type UsageQuery,
  type UsageTotals,
} from "../storage/ports/usage.ts";
import {
  listField,
  shownAmount,
  shownCount,
  shownTime,
  switchField,
  timeToJson,
} from "./base/fields.ts";
import { heldToProject } from "./accounts/own_project.ts";
import { readSpan, spanFields } from "./base/moments.ts";
import { defineOperation } from "./base/operation.ts";
import { optionWords } from "./base/option_words.ts";
import { shownPath } from "./base/shown_path.ts";
import { oneTag, readTags } from "./tag_fields.ts";

/** What a report can be grouped by, besides a tag. */
export const USAGE_GROUPS = [
  "project",
  "key",
  "endpoint",
  "model",
  "provider",
  "route",
  "month",
  "day",
  "hour",
] as const;

/** As what a tag is one of them. */
const BY_TAG = /^tag:([A-Za-z0-9_.-]{1,32})$/;
const group = z.string().refine(
  (text) => (USAGE_GROUPS as readonly string[]).includes(text) || BY_TAG.test(text),
  `Expected one of ${USAGE_GROUPS.join(", ")}, or tag:NAME`,
);

/** What is bought besides tokens, and what failed: of detailed reports and those by tag. */
const detailFields = Object.fromEntries(
  DETAIL_FIGURES.map((name) => [name, shownCount.optional()]),
) as { readonly [figure in DetailFigure]: z.ZodOptional<typeof shownCount> };

/** One line of a report. */
export const usageRow = z.object({
  project: z.string().optional(),
  key: z.string().optional(),
  endpoint: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  route: z.string().optional(),
  tag: z.string().optional().describe("The value of the tag that it is grouped by"),
  month: z.string().optional().describe("UTC, as 2026-11"),
  day: z.iso.date().optional().describe("UTC date"),
  hour: z.string().optional().describe("Its beginning, UTC, as 2026-11-21T10:00:00Z"),
  calls: shownCount,
  prompt_tokens: shownCount,
  completion_tokens: shownCount,
  currency: z.string(),
  cost: shownAmount,
  sale: shownAmount,
  charged: shownAmount,
  loss: shownAmount,
  ...detailFields,
});

export type UsageRow = Shown<typeof usageRow>;

/** Names of tags that are told of calls without the one that was asked for. */
const MOST_TAGS = 20;

const usageAnswer = z.object({
  object: z.literal("usage_report"),
  data: z.array(usageRow),
  cut: z.object({
    reason: z.enum(["time", "rows", "archived", "details"]).describe(
      "time, archived, details: calls that closed before `from` are missing; rows: lines behind the last one",
    ),
    from: shownTime.nullable(),
    advice: z.string().describe("What to do about it"),
  }).nullable().describe("What the report leaves out; null when it is whole"),
  without_tag: z.object({
    calls: shownCount.describe("Calls that are as asked for, but for the tag"),
    tags: z.array(z.string()).describe(
      `Where no call has the tag: those that calls of this time have, at most ${MOST_TAGS}`,
    ),
  }).nullable().describe(
    "Of reports by tag: what they leave out as it has no such tag; null where nobody knows",
  ),
  archives: z.array(z.object({ before: shownTime, file: z.string() })).describe(
    "Archives that have the single calls of some of this time: the sums are whole without them",
  ),
});

/** The longest that a report is added up: whoever asks waits no longer for an answer. */
const REPORT_MS = 30_000;
const DAY_MS = 86_400_000;

export const reportUsage = defineOperation({
  name: "usage.report",
  method: "GET",
  path: "/usage",
  role: "viewer",
  isLong: true,
  summary: "Add up closed calls, by whole hours, or by whole days (UTC) where they are archived.",
  input: z.strictObject({
    by: listField(group)
      .describe(`${USAGE_GROUPS.join(", ")}, tag:NAME (default: project,model)`)
      .register(optionWords, { placeholder: "groups" }),
    tag: listField(oneTag)
      .describe("only calls with this tag, as NAME=VALUE; may be repeated")
      .register(optionWords, { placeholder: "name=value", repeats: true }),
    project: z.string().min(1).optional().describe("only this project"),
    key: z.string().min(1).optional().describe("only this key, by its id"),
    endpoint: z.enum(CAPABILITY_NAMES).optional().describe("only this endpoint's calls"),
    model: z.string().min(1).optional().describe("only this model"),
    provider: z.string().min(1).optional().describe("only this provider"),
    route: z.string().min(1).optional().describe("only this route"),
    details: switchField.optional().describe(
      "add up images, films, seconds, characters, searches and failed calls too",
    ),
    ...spanFields("the first call"),
  }),
  output: usageAnswer,
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, input) {
    const { fromMs, toMs } = readSpan(input, deps.clock.now());
    const tags = readTags(input.tag);
    const query = { ...groupsOf(input.by ?? ["project", "model"]), ...(tags && { tags }) };
    const asked: UsageQuery = {
      withinMs: REPORT_MS,
      ...query,
      ...(input.project !== undefined && { projectId: input.project }),
      ...(input.key !== undefined && { keyId: input.key }),
      ...(input.endpoint !== undefined && { capability: input.endpoint }),
      ...(input.model !== undefined && { model: input.model }),
      ...(input.provider !== undefined && { provider: input.provider }),
      ...(input.route !== undefined && { route: input.route }),
      ...(input.details === true && { hasDetails: true }),
      ...(fromMs !== undefined && { fromMs }),
      ...(toMs !== undefined && { toMs }),
    };
    const { lines, cut } = await deps.storage.calls.usageReport(asked);
    if (cut?.reason === "days") throw onlyWholeDays(cut);
    const { currency } = deps.catalogue.current.catalogue;
    const archives = archivesOf(await droppedArchives(deps), { fromMs, toMs })
      .map(({ before, file }) => ({ before, file: shownPath(deps.origin, file) }));
    const tagsFromMs = isByTag(query) ? await firstWithTags(deps, { fromMs, archives }) : 0;
    return {
      object: "usage_report" as const,
      data: lines.map((total) => toRow(total, currency)),
      cut: cut !== undefined
        ? cutRow(cut)
        : tagsFromMs > (fromMs ?? 0)
        ? withoutTags(timeToJson(tagsFromMs))
        : null,
      without_tag: isByTag(asked) && cut === undefined
        ? await readWithoutTag(deps, asked, { lines, tagsFromMs })
        : null,
      archives,
    };
  },
});

/** What a whole report by tag leaves out; of archived calls no tag is known. */
async function readWithoutTag(
  { storage: { calls } }: Pick<AdminDeps, "storage">,
  { tag, tags, fromMs = 0, ...asked }: UsageQuery,
  { lines, tagsFromMs }: {
    readonly lines: readonly UsageTotals[];
    readonly tagsFromMs: number;
  },
): Promise<Shown<typeof usageAnswer>["without_tag"]> {
  const all = { ...asked, fromMs: Math.max(fromMs, tagsFromMs) };
  if (all.toMs !== undefined && all.fromMs >= all.toMs) return { calls: 0, tags: [] };
  // Of a report by one tag of the calls with others, those are the rest of the calls with them.
  const others = tag === undefined ? {} : { tags };
  const { lines: totals, cut } = await calls.usageReport({ ...all, ...others, groupBy: [] });
  if (cut !== undefined) return null;
  const count = (some: readonly UsageTotals[]) => some.reduce((sum, one) => sum + one.calls, 0);
  const left = Math.max(0, count(totals) - count(lines));
  const isEmpty = lines.length === 0 && left > 0;
  return {
    calls: left,
    tags: isEmpty ? [...await calls.tagNames({ ...all, limit: MOST_TAGS })] : [],
  };
}

/** @throws {GatewayError} `invalid_value` */
function groupsOf(by: readonly string[]): Pick<UsageQuery, "groupBy" | "tag"> {
  const tags = [...new Set(by.flatMap((one) => BY_TAG.exec(one)?.[1] ?? []))];
  if (tags.length > 1) {
    throw new GatewayError("invalid_value", "A report is grouped by one tag: name one tag:NAME", {
      param: "by",
    });
  }
  const groups = USAGE_GROUPS.filter((group) => by.includes(group));
  return tags.length === 0 ? { groupBy: groups } : { groupBy: [...groups, "tag"], tag: tags[0]! };
}

/** Of which the database has the single calls no more. */
async function droppedArchives(
  deps: Pick<AdminDeps, "storage" | "archives">,
): Promise<readonly KnownArchive[]> {
  return (await knownArchives(deps)).filter(({ isDropped = true }) => isDropped);
}

/** From when on a report has all single calls, in milliseconds since the epoch: earlier ones are archived, or deleted. */
async function firstWithTags(
  { storage }: Pick<AdminDeps, "storage">,
  { fromMs = 0, archives }: {
    readonly fromMs: number | undefined;
    readonly archives: Shown<typeof usageAnswer>["archives"];
  },
): Promise<number> {
  const archivedMs = archives.reduce((last, { before }) => Math.max(last, Date.parse(before)), 0);
  const droppedMs = await storage.seals?.dropped.lastAt();
  if (droppedMs === undefined || droppedMs < fromMs) return archivedMs;
  return Math.max(archivedMs, droppedMs + 1);
}

/** There are sums by project, model, provider, route and day alone. */
function withoutTags(before: string): Shown<typeof usageAnswer>["cut"] {
  return {
    reason: "archived",
    from: before,
    advice: `Tags are kept with single calls, and those that closed before ${
      before.endsWith("T00:00:00.000Z") ? before.slice(0, 10) : before
    } are archived or deleted: the sums have only later ones`,
  };
}

function archivesOf(
  known: readonly KnownArchive[],
  { fromMs = 0, toMs = Infinity }: {
    readonly fromMs: number | undefined;
    readonly toMs: number | undefined;
  },
): Shown<typeof usageAnswer>["archives"] {
  return known.filter(({ beforeMs }, index) =>
    fromMs < beforeMs && (known[index - 1]?.beforeMs ?? 0) < toMs
  ).map(({ beforeMs, file }) => ({ before: timeToJson(beforeMs), file }));
}

/** A part of a day, of which only the whole is left. */
function onlyWholeDays({ edge, dayMs }: Extract<UsageCut, { readonly reason: "days" }>) {
  const date = (ms: number) => timeToJson(ms).slice(0, 10);
  const whole = date(dayMs);
  const without = date(edge === "from" ? dayMs + DAY_MS : dayMs - DAY_MS);
  return new GatewayError(
    "invalid_value",
    `Cannot report a part of ${whole}: calls of that day are archived, and their sums are kept ` +
      `by whole days (UTC). Report ${edge} ${whole}, with all of that day, or ${edge} ${without}`,
    { param: edge },
  );
}

function cutRow(
  cut: Exclude<UsageCut, { readonly reason: "days" }>,
): Shown<typeof usageAnswer>["cut"] {
  if (cut.reason === "rows") {
    return {
      reason: "rows",
      from: null,
      advice: "There are more lines than a report has: narrow the dates, name a project or a " +
        "model, or group by fewer fields",
    };
  }
  const from = timeToJson(cut.fromMs);
  if (cut.reason === "hours") {
    return {
      reason: "archived",
      from,
      advice: `Calls before ${from} are archived, and their sums are kept by whole days: report ` +
        "them by day instead of hour",
    };
  }
  if (cut.reason === "details") {
    return {
      reason: "details",
      from,
      advice: cut.isUnderWay
        ? `Sums by key, endpoint and hour of calls before ${from} are still being made, the newest ` +
          "first, while a server runs: ask again later"
        : `Calls before ${from} were archived before there were sums by key, endpoint and hour: ` +
          "reports by project, model, provider, route, day and month have them",
    };
  }
  return {
    reason: "time",
    from,
    advice:
      `It took longer than ${REPORT_MS / 1000} seconds and has only calls that closed since ` +
      `${from}: narrow the dates, or report what is before that with --to ${from}`,
  };
}

/** A line as it is shown. */
export function toRow(total: UsageTotals, currency: string): UsageRow {
  return {
    ...Object.fromEntries([...USAGE_GROUPS, "tag" as const].flatMap((group) => {
      const value = total[group];
      return value === undefined ? [] : [[group, value]];
    })),
    calls: total.calls,
    prompt_tokens: total.promptTokens,
    completion_tokens: total.completionTokens,
    currency,
    cost: formatAmount(total.costE8),
    sale: formatAmount(total.saleE8),
    charged: formatAmount(total.chargedE8),
    loss: formatAmount(total.lossE8),
    ...total.details,
  };
}
