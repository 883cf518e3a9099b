/**
 * The words that upstreams have for the state of a video job, as ours.
 *
 * @module
 */

import type { VideoReport } from "../../contract/video_upstream.ts";

/** Our words; `lost` for a job that is not there any more, so that it is started again. */
type JobStatus = VideoReport["status"];

/**
 * Seen at OpenAI, vLLM-Omni, SGLang Diffusion, FastVideo, LocalAI and resellers.
 * `cancelled` is somebody's decision at the upstream, so it is a failure;
 * `expired` and `deleted` say only that the job is gone.
 */
const WORDS: { readonly [status in JobStatus]: readonly string[] } = {
  queued: [
    "queued",
    "pending",
    "submitted",
    "created",
    "accepted",
    "waiting",
    "scheduled",
    "not_started",
    "in_queue",
  ],
  in_progress: [
    "in_progress",
    "inprogress",
    "processing",
    "running",
    "started",
    "starting",
    "active",
    "generating",
    "rendering",
  ],
  completed: [
    "completed",
    "complete",
    "succeeded",
    "succeed",
    "success",
    "successful",
    "done",
    "finished",
    "ready",
  ],
  failed: [
    "failed",
    "failure",
    "fail",
    "error",
    "errored",
    "cancelled",
    "canceled",
    "aborted",
    "rejected",
    "timeout",
    "timed_out",
  ],
  lost: ["expired", "deleted", "not_found"],
};

const STATUS_BY_WORD: ReadonlyMap<string, JobStatus> = new Map(
  Object.entries(WORDS).flatMap(([status, words]) =>
    words.map((word) => [word, status as JobStatus])
  ),
);

/** Our word for an upstream's, however it is written; `undefined` for one that nobody has listed. */
export function statusOfWord(word: string): JobStatus | undefined {
  return STATUS_BY_WORD.get(word.trim().toLowerCase().replace(/[\s-]+/g, "_"));
}
