/**
 * What an upstream's failure means: its status and error body as an {@linkcode UpstreamError}.
 *
 * @module
 */

import { secondsToMidnight } from "../../domain/midnight.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { cleanMessage, type Concealed, redactSecrets } from "./clean_message.ts";
import type { ErrorBody } from "../../dialects/base/error_form.ts";
import { judgeStatus, judgeWords, type Verdict } from "./judge_failure.ts";

/** Longest pause that an upstream may ask for: a day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** Makes the error of an answer whose status is not 2xx. */
export function errorOfAnswer(answer: {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: ErrorBody;
  /** The same as it came, where callers know such bodies. */
  readonly verbatim?: UpstreamError["verbatim"];
  /** Milliseconds since the epoch, for `Retry-After` as a date. */
  readonly now: number;
}, concealed: Concealed): UpstreamError {
  const { status, body } = answer;
  const retryAfterSeconds = parseRetryAfter(answer.header, answer.now) ?? pauseIn(body, answer.now);
  if (status >= 300 && status < 400) {
    return new UpstreamError("broken", `The upstream answered ${status}, a redirect`, { status });
  }
  const verdict = judgeStatus(status, body, retryAfterSeconds !== undefined);
  const { verbatim } = answer;
  return makeError(verdict, body, { status, retryAfterSeconds, concealed, verbatim });
}

/**
 * Makes the error of one inside a 2xx: in a stream's event or a plain body. Its own
 * status or words decide; without any it is `broken`.
 *
 * @param now Milliseconds since the epoch; absent: the form tells of no midnight.
 */
export function errorOfBody(body: ErrorBody, concealed: Concealed, now?: number): UpstreamError {
  const pause = pauseIn(body, now);
  const verdict = body.status === undefined
    ? judgeWords(body) ?? { failure: "broken" }
    : judgeStatus(body.status, body, pause !== undefined);
  // A caller's fault needs a status that the caller can be told.
  const status = body.status ?? (verdict.failure === "caller" ? 400 : undefined);
  return makeError(verdict, body, { status, retryAfterSeconds: pause, concealed });
}

/**
 * `Retry-After` as seconds, from `retry-after-ms`, or `retry-after` in seconds or
 * as an HTTP date (RFC 9110, 10.2.3). Nonsense and the past give `undefined` and 0.
 */
export function parseRetryAfter(
  header: (name: string) => string | undefined,
  now: number,
): number | undefined {
  const milliseconds = decimal(header("retry-after-ms"));
  if (milliseconds !== undefined) return clampSeconds(milliseconds / 1000);
  const value = header("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  const seconds = decimal(value);
  if (seconds !== undefined) return clampSeconds(seconds);
  const at = /[A-Za-z]{3}/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : clampSeconds((at - now) / 1000);
}

function makeError({ failure, fault }: Verdict, body: ErrorBody, context: {
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly concealed: Concealed;
  readonly verbatim?: UpstreamError["verbatim"];
}): UpstreamError {
  const { status, retryAfterSeconds, concealed, verbatim } = context;
  const publicMessage = body.message === undefined
    ? undefined
    : cleanMessage(body.message, concealed);
  const answered = status === undefined
    ? "The upstream sent an error"
    : `The upstream answered ${status}`;
  // The caller of a refused request is told these words, which may quote the prompt: not for a log.
  const isOfRequest = failure === "caller" || failure === "oversized";
  const words = isOfRequest ? undefined : publicMessage;
  // What tells of no fault of the caller's is not for it, nor what an upstream repeats of its key.
  const isForCaller = failure === "caller" && body.message !== undefined &&
    verbatim !== undefined && redactSecrets(verbatim.text, concealed.secrets) === verbatim.text;
  return new UpstreamError(
    failure,
    words === undefined ? answered : `${answered}: ${words}`,
    {
      status,
      code: identifier(body.code, concealed),
      param: identifier(body.param, concealed),
      retryAfterSeconds,
      publicMessage,
      verbatim: isForCaller ? verbatim : undefined,
      fault,
      isSpent: body.endsAtMidnightIn !== undefined,
    },
  );
}

/** Codes and parameter names pass through only when they look like such and give nothing away. */
export function identifier(value: string | undefined, concealed: Concealed): string | undefined {
  if (value === undefined || !/^[\w.\-[\]/]{1,100}$/.test(value)) return undefined;
  return cleanMessage(value, concealed) === value ? value : undefined;
}

function pauseIn(
  { retryAfterSeconds: seconds, endsAtMidnightIn: zone }: ErrorBody,
  now: number | undefined,
): number | undefined {
  if (zone !== undefined && now !== undefined) return clampSeconds(secondsToMidnight(now, zone));
  return seconds === undefined ? undefined : clampSeconds(seconds);
}

function decimal(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d{1,12}(?:\.\d{1,6})?\s*$/.test(value)
    ? Number(value)
    : undefined;
}

function clampSeconds(seconds: number): number {
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}
