/**
 * Reads the error bodies of Google's APIs.
 *
 * @module
 */

import { asArray, asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { type ErrorBody, type ErrorForm, NO_BODY } from "../base/error_form.ts";
import { readErrorBody } from "../openai/read_error.ts";

/** Reasons that are the operator's to mend, in words that all upstreams' errors are judged by. */
const CODES: ReadonlyMap<string, string> = new Map([
  ["API_KEY_INVALID", "invalid_api_key"],
  ["API_KEY_EXPIRED", "invalid_api_key"],
  ["API_KEY_SERVICE_BLOCKED", "invalid_api_key"],
  ["ACCESS_TOKEN_EXPIRED", "invalid_api_key"],
  ["ACCOUNT_STATE_INVALID", "invalid_api_key"],
  ["CONSUMER_INVALID", "invalid_api_key"],
  ["SERVICE_DISABLED", "unauthorized"],
  ["IAM_PERMISSION_DENIED", "unauthorized"],
  ["BILLING_DISABLED", "billing"],
  ["CONSUMER_SUSPENDED", "billing"],
]);

const DAY = /PerDay/;
/** Where a day's quota comes back at midnight. https://ai.google.dev/gemini-api/docs/rate-limits */
const CALIFORNIA = "America/Los_Angeles";

export const GEMINI_ERRORS: ErrorForm = {
  parse(text) {
    try {
      return readError(JSON.parse(text));
    } catch {
      // A page or a proxy's words: its status says enough, and its text is not for callers.
      return NO_BODY;
    }
  },
  read: readError,
  isError: (value) => value.candidates === undefined && asObject(value.error) !== undefined,
};

function readError(value: unknown): ErrorBody {
  const body = readErrorBody(value);
  const { details } = asObject(asObject(Array.isArray(value) ? value[0] : value)?.error) ?? {};
  const reason = reasonIn(details);
  return {
    ...body,
    // Their words for it are those of a protocol, in capitals.
    code: CODES.get(reason) ?? body.code ?? body.type?.toLowerCase(),
    retryAfterSeconds: pauseIn(details),
    ...(isDaySpent(details) && { endsAtMidnightIn: CALIFORNIA }),
  };
}

function reasonIn(details: unknown): string {
  for (const detail of asArray(details)) {
    const reason = nonEmptyString(asObject(detail)?.reason);
    if (reason !== undefined) return reason;
  }
  return "";
}

/** No header tells it. */
function pauseIn(details: unknown): number | undefined {
  let pause: number | undefined;
  for (const detail of asArray(details)) {
    const { retryDelay }: JsonObject = asObject(detail) ?? {};
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(String(retryDelay))?.[1];
    if (seconds !== undefined) pause = Math.max(pause ?? 0, Number(seconds));
  }
  return pause;
}

function isDaySpent(details: unknown): boolean {
  return asArray(details).some((detail) =>
    asArray(asObject(detail)?.violations).some((one) =>
      DAY.test(String(asObject(one)?.quotaId).slice(0, 300))
    )
  );
}
