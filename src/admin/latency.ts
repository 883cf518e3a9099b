/**
 * How fast the last calls were, and how many of them failed.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import type { LatencyFigures } from "../storage/ports/latency.ts";
import { heldToProject } from "./accounts/own_project.ts";
import { shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { readSpan, spanFields } from "./base/moments.ts";
import { defineOperation } from "./base/operation.ts";

/** What calls can be told apart by. */
export const LATENCY_GROUPS = ["model", "route", "provider", "endpoint", "project", "key"] as const;

const shownMs = shownCount.nullable();

const figures = {
  calls: shownCount.describe("Closed calls"),
  failed: shownCount.describe("Of them those that no upstream has served"),
  p50_ms: shownMs.describe(
    "Half of the completed calls took no longer, from arrival to end; films aside",
  ),
  p95_ms: shownMs.describe("Of 20 completed calls 19 took no longer"),
  first_byte_p50_ms: shownMs.describe("The same till the upstream's first byte"),
  first_byte_p95_ms: shownMs,
};

const latencyRow = z.object({ name: z.string().describe("Of what it is grouped by"), ...figures });

/** Figures of the calls of one name. */
export type LatencyRow = Shown<typeof latencyRow>;

const latencyPart = z.object({ from: shownTime, ...figures });

/** Figures of the calls of a part of the time. */
export type LatencyPart = Shown<typeof latencyPart>;

/** Rows that a report looks at: some tens of milliseconds. */
const MOST_ROWS = 20_000;
const MOST_LINES = 100;
const PARTS = 30;
const USUAL_MS = 3_600_000;

export const reportLatency = defineOperation({
  name: "latency.report",
  method: "GET",
  path: "/latency",
  role: "viewer",
  summary:
    "Tell how fast the last calls were and how many failed, by model, route, project or key.",
  input: z.strictObject({
    by: z.enum(LATENCY_GROUPS).default("model").describe(LATENCY_GROUPS.join(", ")),
    project: z.string().min(1).optional().describe("only this project"),
    ...spanFields("an hour ago"),
  }),
  output: z.object({
    object: z.literal("latency_report"),
    all: z.object(figures),
    data: z.array(latencyRow).describe(`The most calls first, at most ${MOST_LINES}`),
    parts: z.array(latencyPart).describe(`The same in ${PARTS} parts of the time, in their order`),
    cut_at: shownTime.nullable().describe(
      `Earlier calls are not in it, as ${MOST_ROWS} are looked at; null where all are`,
    ),
  }),
  errors: [],
  heldTo: heldToProject,
  async run(deps, input) {
    const now = deps.clock.now();
    const { toMs = now, fromMs = toMs - USUAL_MS } = readSpan(input, now);
    const { all, lines, parts, cutAtMs } = await deps.storage.calls.latencyReport({
      projectId: input.project,
      by: input.by,
      fromMs,
      toMs,
      parts: PARTS,
      mostRows: MOST_ROWS,
      mostLines: MOST_LINES,
    });
    return {
      object: "latency_report" as const,
      all: shown(all),
      data: lines.map(({ name, ...own }) => ({ name, ...shown(own) })),
      parts: parts.map(({ fromMs: from, ...own }) => ({ from: timeToJson(from), ...shown(own) })),
      cut_at: timeToJson(cutAtMs),
    };
  },
});

function shown(
  { calls, failed, p50Ms, p95Ms, firstByteP50Ms, firstByteP95Ms }: LatencyFigures,
) {
  return {
    calls,
    failed,
    p50_ms: p50Ms ?? null,
    p95_ms: p95Ms ?? null,
    first_byte_p50_ms: firstByteP50Ms ?? null,
    first_byte_p95_ms: firstByteP95Ms ?? null,
  };
}
