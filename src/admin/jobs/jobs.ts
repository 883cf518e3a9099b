/**
 * Jobs, as whoever may run their operations sees them.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { reaches, type Rights } from "../../domain/roles.ts";
import { GatewayError } from "../../errors.ts";
import type { AdminDeps } from "../base/deps.ts";
import { shownCount, shownTime, timeToJson } from "../base/fields.ts";
import { defineOperation } from "../base/operation.ts";
import { pageAnswer, pageFields, pageOfItems } from "../base/page.ts";
import { WORK_STEPS, type WorkStep } from "../base/work_progress.ts";
import { isUnderWay, type Job, JOB_STATES } from "../base/job.ts";

const STEPS = Object.keys(WORK_STEPS) as [WorkStep, ...WorkStep[]];

export const jobRow = z.object({
  id: z.string(),
  operation: z.string().describe("Such as `ledger.verify`"),
  state: z.enum(JOB_STATES).describe(
    "running; cancelling: it ends soon; completed, failed, cancelled; interrupted: the gateway " +
      "stopped before it was done",
  ),
  started_by: z.string().describe("By which way, and who"),
  started_at: shownTime,
  ended_at: shownTime.nullable().describe("null while it is under way, and where nobody saw it"),
  progress: z.object({
    step: z.enum(STEPS),
    done: shownCount,
    total: shownCount.nullable().describe("null where nobody knows"),
    unit: z.literal("rows"),
  }).nullable(),
  remaining_seconds: shownCount.nullable().describe(
    "Until what `progress` counts is done, by how fast that went so far; null where nobody knows",
  ),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  node: z.string().nullable().describe(
    "Which node runs it, or has run it, as `nodes.list` calls it; null where the database is a file",
  ),
});

/** A job as listed. */
export type JobRow = Shown<typeof jobRow>;

const shownJob = jobRow.extend({
  result: z.unknown().describe(
    "What the operation answers; null before that, and where it is no longer kept",
  ),
});

/** A job with its result. */
export type JobView = Shown<typeof shownJob>;

const byJob = z.strictObject({ job_id: z.string().min(1).max(100).describe("id of the job") });

export const listJobs = defineOperation({
  name: "jobs.list",
  method: "GET",
  path: "/jobs",
  role: "viewer",
  summary: "List long operations that were started as jobs, newest first.",
  input: z.strictObject(pageFields),
  output: pageAnswer(jobRow),
  errors: [],
  async run(deps, page) {
    const items = (await deps.jobs.list()).filter((job) => maySee(deps.origin.rights, job));
    return pageOfItems(items, { ...page, show: rowOf, what: "job" });
  },
});

export const showJob = defineOperation({
  name: "jobs.show",
  method: "GET",
  path: "/jobs/{job_id}",
  role: "viewer",
  summary: "Show a job: how far it is, and what came of it.",
  input: byJob,
  output: shownJob,
  errors: ["not_found"],
  async run(deps, { job_id }) {
    const job = await requireJob(deps, job_id);
    return { ...rowOf(job), result: job.result ?? null };
  },
});

export const cancelJob = defineOperation({
  name: "jobs.cancel",
  method: "POST",
  path: "/jobs/{job_id}/cancel",
  role: "viewer",
  summary: "Have a job end soon, where it can be broken off; what it has done by then stays.",
  input: byJob,
  output: jobRow,
  errors: ["not_found", "conflict"],
  async run(deps, { job_id }) {
    const job = await requireJob(deps, job_id);
    if (!isUnderWay(job)) {
      throw new GatewayError(
        "conflict",
        `Job ${job.id} has ended as ${job.state}: there is nothing to cancel`,
      );
    }
    return rowOf(await deps.jobs.cancel(job.id) ?? job);
  },
});

async function requireJob({ jobs, origin: { rights } }: AdminDeps, id: string): Promise<Job> {
  const job = await jobs.find(id);
  if (job !== undefined && maySee(rights, job)) return job;
  throw new GatewayError("not_found", `There is no job '${id}': see \`tollgate jobs list\``);
}

/** What an operation answers is for whoever may run it. */
function maySee(rights: Rights, { role }: Job): boolean {
  return rights.role !== "member" && reaches(rights.role, role);
}

/** A job as it is shown. */
export function rowOf(job: Job): JobRow {
  const { progress, remainingMs, startedBy: { channel, user } } = job;
  return {
    id: job.id,
    operation: job.operation,
    state: job.state,
    started_by: user === undefined ? channel : `${channel}: ${user}`,
    started_at: timeToJson(job.startedAt),
    ended_at: timeToJson(job.endedAt),
    progress: progress === undefined
      ? null
      : { ...progress, total: progress.total ?? null, unit: "rows" },
    remaining_seconds: remainingMs === undefined ? null : Math.ceil(remainingMs / 1000),
    error: job.error ?? null,
    node: job.node ?? null,
  };
}
