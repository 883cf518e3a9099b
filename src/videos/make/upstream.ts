/**
 * Has films made by an upstream: start the job, ask after it, fetch the film.
 * What is known of the job is stored with the task, so that any later attempt
 * goes on with the same one.
 *
 * @module
 */

import type { Attempt } from "../task/attempt.ts";
import { downloadContent } from "./download_content.ts";
import type { AttemptEnd, Executor } from "./executor.ts";
import { pollJob } from "./poll_job.ts";
import { startJob } from "./start_job.ts";
import { PausedDownloads } from "./paused_downloads.ts";
import type { UpstreamExecutorOptions, UpstreamWork } from "./upstream_work.ts";

/** Beyond a provider's own time limit for one request: then it is not the upstream that hangs. */
const SILENCE_MARGIN_MS = 60_000;
const GONE_WAIT_MS = 1_000;

/** An executor over the providers that are configured. */
export function createUpstreamExecutor(options: UpstreamExecutorOptions): Executor {
  const work = { ...options, paused: new PausedDownloads(options.files) };
  return { run: (attempt) => run(work, attempt) };
}

async function run(options: UpstreamWork, attempt: Attempt): Promise<AttemptEnd> {
  const { task } = attempt;
  const snapshot = options.catalogue.current;
  const settings = snapshot.provider(task.provider);
  const upstream = options.registry.provider(task.provider)?.videos;
  const route = snapshot.route(task.route);
  if (settings === undefined || upstream === undefined) return gone("provider_gone");
  attempt.expectSigns(settings.timeouts.totalMs + SILENCE_MARGIN_MS);
  let { job } = task;
  if (job === undefined) {
    if (route === undefined) return gone("route_gone");
    const started = await startJob(options, attempt, { upstream, route });
    if (!started.ok) return started.end;
    job = started.job;
  }
  const work = { upstream, job };
  return await pollJob(options, attempt, work) ?? await downloadContent(options, attempt, work);
}

/** It was there when the task was claimed: whoever looks after such tasks moves it. */
function gone(why: string): AttemptEnd {
  return { kind: "postponed", waitMs: GONE_WAIT_MS, why };
}
