/**
 * A job on the page of its work: how far it is, a button that cancels it, and how it ended.
 *
 * @module
 */

import type { Operation } from "../../admin/base/operation.ts";
import { WORK_STEPS } from "../../admin/base/work_progress.ts";
import { cancelJob, type JobView, listJobs, showJob } from "../../admin/jobs/jobs.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { NoticeBox } from "../frame/page.tsx";
import { ActionButton } from "./form.tsx";
import { Progress, type Told } from "./progress.tsx";

/** More than are ever remembered. */
const ALL = 1000;

/** The newest job of an operation that is remembered. */
export async function lastJob(
  { var: { admin } }: ConsoleContext,
  { name }: Operation,
): Promise<JobView | undefined> {
  const { data } = await admin.call(listJobs, { limit: ALL });
  const last = data.find(({ operation }) => operation === name);
  return last && await admin.call(showJob, { job_id: last.id });
}

/** How far a job is, as the page's script asks again and again. */
export function toldOf({ state, progress, remaining_seconds: left }: JobView): Told {
  const count = (rows: number) => rows.toLocaleString("en");
  const { step, done, total } = progress ?? { step: undefined, done: 0, total: null };
  const of = total === null ? "" : `: ${count(done)} of ${count(total)} rows`;
  const rest = left === null ? "" : `, about ${left} s left`;
  const words = step === undefined ? "Begun" : WORK_STEPS[step] + of + rest;
  return {
    percent: total === null || total === 0 ? null : Math.floor(100 * done / total),
    text: state === "cancelling" ? "Cancelling" : words,
    ended: state !== "running" && state !== "cancelling",
  };
}

/** One that is under way. */
export function JobProgress({ context, page, name, job }: {
  readonly context: ConsoleContext;
  /** The page that has `progress/:job_id` and `cancel` below it. */
  readonly page: string;
  readonly name: string;
  readonly job: JobView;
}) {
  return (
    <>
      <Progress path={`${page}/progress/${job.id}`} name={name} told={toldOf(job)} />
      <ActionButton context={context} action={`${page}/cancel`} name="Cancel" isDangerous>
        <input type="hidden" name="job_id" value={job.id} />
      </ActionButton>
    </>
  );
}

/** Says why there is no result. */
export function NotCompleted({ job: { state, error }, what }: {
  readonly job: JobView;
  /** Such as `check`. */
  readonly what: string;
}) {
  const text = state === "failed"
    ? `The last ${what} failed: ${error?.message}`
    : state === "completed"
    ? `What came of the last ${what} is no longer kept.`
    : `The last ${what} was ${state} before its end.`;
  return <NoticeBox kind={state === "failed" ? "bad" : "warn"} text={text} />;
}

/** Cancels the job that a form names; one that has ended is shown by the page. */
export async function cancelHere(context: ConsoleContext, page: string): Promise<Response> {
  try {
    await context.var.admin.call(cancelJob, { job_id: context.var.form.job_id ?? "" });
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === "conflict")) throw error;
  }
  return context.redirect(page, 303);
}
