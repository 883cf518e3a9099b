/**
 * Whose fault an upstream's refusal is, by its status, code and words. What one
 * request may have brought about is nobody else's trouble: the operator is blamed
 * only beyond doubt.
 *
 * @module
 */

import type { AttemptFailure, OperatorFault } from "../../domain/upstream_error.ts";
import type { ErrorBody } from "../../dialects/base/error_form.ts";

/** What a refusal means; `fault` where the operator is to blame. */
export interface Verdict {
  readonly failure: AttemptFailure;
  readonly fault?: OperatorFault;
}

// Codes and types, in lower case.
const POLICY =
  /content_filter|content_policy|content_management|responsible_?ai|moderation|safety|bio_policy/;
const BUSY = /rate_limit|overloaded|too_many_requests|resource_exhausted|engine_busy|server_busy/;
const CALLER =
  /invalid_request|invalid_argument|bad_?request|context_length|invalid_prompt|unprocessable/;
/** Who may do what: a file or a feature of the request may be what is not permitted. */
const PERMISSION = /permission/;
const FAULT_CODES: readonly (readonly [RegExp, OperatorFault])[] = [
  [
    /insufficient_quota|billing|spend_limit|insufficient_balance|insufficient_credit|exceeded_current_quota|credit_limit|account_deactivated/,
    "account",
  ],
  [/invalid_api_key|authentication|unauthorized|unauthenticated/, "key"],
  [/model_not_found|invalid_model|model_not_available|deployment_?not_?found/, "model"],
];
const MODEL_FAILED = /^\W*model(?:stream)?error(?:exception)?\b/;
/** What the Responses API says of images, in its own words. */
const IMAGE =
  /invalid_(?:base64_)?image|unsupported_image|empty_image|download_image|\bimage_(?:too|parse|file)/;

// Messages.
/** Said with a 400 by xAI and Gemini (key, country), Anthropic (credit) and DeepSeek (model). */
const FAULT_MESSAGES: readonly (readonly [RegExp, OperatorFault])[] = [
  [/credit balance is too low|\breached your specified\b.{0,60}\busage limits?\b/i, "account"],
  [/(?:incorrect|invalid) api key|api key not valid/i, "key"],
  [/^model not exist$/i, "model"],
  [/\buser location is not supported\b/i, "settings"],
];
/** Said with a 401, 402 or 403, where they are not about something that the request names. */
const REFUSAL_MESSAGES: readonly (readonly [RegExp, OperatorFault])[] = [
  [
    /\b(?:insufficient|not enough) (?:account )?(?:balance|credits?|funds|quota)\b|\bexceeded your current quota\b|\b(?:credit|spending) limit\b|\bout of credits?\b|\baccount\b.{0,40}\b(?:suspended|deactivated|overdue|past due|closed)\b/i,
    "account",
  ],
  [
    /\b(?:incorrect|invalid|bad|expired|revoked|wrong|missing|unknown|disabled|no) (?:(?:(?:api|access|subscription)[- ]?)?keys?\b|(?:api|auth\w*) (?:token|credentials))|\bapi[- ]?key\b.{0,60}\b(?:not valid|invalid|not found|expired|revoked|disabled|incorrect|required|missing)\b|^authentication (?:failed|fails|error)\b/i,
    "key",
  ],
];
/** Said with a 404 by vLLM, Ollama, Gemini, Fireworks and OpenRouter, which send no code. */
const UNKNOWN_MODEL =
  /\bmodels?\b.{0,150}\b(?:not exist|not found|not available|not deployed|no longer available|unknown|decommissioned|retired)\b|\b(?:no such|unknown|unsupported) model\b|\bno endpoints found for\b/is;
/**
 * Larger than the account's tokens per minute (OpenAI, Groq) or its credit
 * (OpenRouter) allow at all: another request is served, and so is this one elsewhere.
 */
const OVERSIZED =
  /\brequest (?:is )?too large\b|\bfewer (?:max_|completion |output )?tokens\b|\btokens must be reduced\b/i;
/** Of a message, that are looked at. */
const MOST_CHARACTERS = 4_000;
/** From the first quote to the last: what is quoted may have quotes of its own. */
const QUOTED = /(?<!\w)['"`].*['"`](?!\w)/s;
const OF_A_RATE = /\btokens? per (?:minute|min|day|hour)\b|\b[TR]P[MD]\b/i;

/** Judges an answer whose status is not 2xx, nor a redirect's. */
export function judgeStatus(
  status: number,
  body: ErrorBody,
  hasRetryAfter: boolean,
): Verdict {
  const words = wordsOf(body);
  const isRefusal = status >= 400 && status < 500;
  if (isRefusal && status !== 429 && POLICY.test(words)) return { failure: "caller" };
  if (isRefusal && isOversized(status, body)) return { failure: "oversized" };
  switch (status) {
    case 400:
    case 413:
    case 422:
      return operatorsFault(body, words) ??
        { failure: PERMISSION.test(words) ? "doubtful" : "caller" };
    case 401:
    case 402:
    case 403:
      return operatorsFault(body, words) ?? byMessage(REFUSAL_MESSAGES, body) ??
        { failure: "doubtful" };
    case 404:
      if (UNKNOWN_MODEL.test(ownWords(body)) || body.param === "model") {
        return { failure: "operator", fault: "model" };
      }
      return operatorsFault(body, words) ?? { failure: "doubtful" };
    // No request can bring these about: method, path and headers are the operator's.
    case 405:
    case 407:
    case 410:
    case 411:
    case 415:
      return { failure: "operator", fault: "settings" };
    case 408:
    case 409:
    case 425:
      return { failure: "broken" };
    case 429: {
      // Gemini says of a rate that the quota is exceeded, and to look at billing.
      const verdict = operatorsFault(body, words) ??
        (BUSY.test(words) ? undefined : byMessage(REFUSAL_MESSAGES, body));
      return verdict?.fault === "account" ? verdict : { failure: "busy" };
    }
    case 424:
      // Bedrock's for a model that has failed; others' for something that the request names.
      if (MODEL_FAILED.test(words)) return { failure: "broken" };
      break;
    case 503:
      return { failure: hasRetryAfter ? "busy" : "broken" };
    // Anthropic's word for it, and nobody else's.
    case 529:
      return { failure: "busy" };
  }
  return isRefusal ? operatorsFault(body, words) ?? { failure: "doubtful" } : { failure: "broken" };
}

/** Judges an error without a status; `undefined` when nothing in it tells. */
export function judgeWords(body: ErrorBody): Verdict | undefined {
  const words = wordsOf(body);
  if (POLICY.test(words)) return { failure: "caller" };
  if (OVERSIZED.test(body.message ?? "")) return { failure: "oversized" };
  const verdict = operatorsFault(body, words);
  if (verdict !== undefined) return verdict;
  if (PERMISSION.test(words)) return { failure: "doubtful" };
  if (BUSY.test(words)) return { failure: "busy" };
  if (CALLER.test(words) || IMAGE.test(words)) return { failure: "caller" };
  return undefined;
}

function operatorsFault(body: ErrorBody, words: string): Verdict | undefined {
  const found = FAULT_CODES.find(([pattern]) => pattern.test(words));
  return found === undefined
    ? byMessage(FAULT_MESSAGES, body)
    : { failure: "operator", fault: found[1] };
}

function byMessage(messages: typeof FAULT_MESSAGES, body: ErrorBody): Verdict | undefined {
  const message = ownWords(body);
  const found = messages.find(([pattern]) => pattern.test(message));
  return found === undefined ? undefined : { failure: "operator", fault: found[1] };
}

/**
 * The message without what it quotes, which is the request's: a caller that has a wrong value
 * repeated to it must not put words of the operator's faults into the upstream's mouth.
 */
function ownWords({ message = "" }: ErrorBody): string {
  return message.slice(0, MOST_CHARACTERS).replace(QUOTED, "''");
}

/** A 413 is the request's own fault, unless it speaks of a rate. */
function isOversized(status: number, { message = "" }: ErrorBody): boolean {
  if (!OVERSIZED.test(message)) return false;
  return status === 402 || status === 429 || OF_A_RATE.test(message);
}

function wordsOf(body: ErrorBody): string {
  return `${body.code ?? ""} ${body.type ?? ""}`.toLowerCase();
}
