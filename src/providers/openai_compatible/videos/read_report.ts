/**
 * What an upstream's video object says of its job.
 *
 * @module
 */

import { type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import type { VideoReport } from "../../contract/video_upstream.ts";
import { cleanMessage, type Concealed } from "../../upstream/clean_message.ts";
import { readErrorBody } from "../../../dialects/openai/read_error.ts";
import { identifier } from "../../upstream/make_error.ts";

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
function statusOfWord(word: string): JobStatus | undefined {
  return STATUS_BY_WORD.get(word.trim().toLowerCase().replace(/[\s-]+/g, "_"));
}

/**
 * Reads a report. A status word that nobody has listed counts as work in
 * progress, since every end has a known name, and is noted in `unknownStatus`.
 *
 * @returns `undefined` when the object has no status.
 */
export function readReport(body: JsonObject, concealed: Concealed): VideoReport | undefined {
  const word = nonEmptyString(body.status);
  if (word === undefined) return undefined;
  const status = statusOfWord(word);
  const report = {
    status: status ?? "in_progress",
    progress: progressOf(body.progress),
    error: status === "failed" ? failureOf(body, concealed) : undefined,
  };
  if (status !== undefined) return report;
  return { ...report, unknownStatus: cleanMessage(word.slice(0, 60), concealed) ?? "" };
}

/** Whole per cent; upstreams without any leave the field out or say null. */
function progressOf(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,3}(?:\.\d+)?%?$/.test(value)
    ? Number.parseFloat(value)
    : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  return Math.min(100, Math.max(0, Math.floor(number)));
}

function failureOf(body: JsonObject, concealed: Concealed): VideoReport["error"] {
  const { message, code: rawCode } = readErrorBody(body);
  const code = identifier(rawCode, concealed);
  const text = message === undefined ? undefined : cleanMessage(message, concealed);
  // vLLM-Omni's message is empty for some exceptions, whose name is then all there is.
  if (text !== undefined) return { code, message: text };
  return code === undefined ? undefined : { code, message: code };
}
