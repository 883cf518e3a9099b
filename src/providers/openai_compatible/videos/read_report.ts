/**
 * What an upstream's video object says of its job.
 *
 * @module
 */

import type { JsonObject } from "../../../domain/json_value.ts";
import type { VideoReport } from "../../contract/video_upstream.ts";
import { nonEmptyString } from "../../../domain/json_value.ts";
import { cleanMessage, type Concealed } from "../../upstream/clean_message.ts";
import { readErrorBody } from "../../../dialects/openai/read_error.ts";
import { identifier } from "../../upstream/make_error.ts";
import { statusOfWord } from "./status_words.ts";

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
