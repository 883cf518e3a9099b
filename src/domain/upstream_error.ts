/**
 * How attempts at an upstream fail and what each failure means to routing, as a provider says it, and a
 * conversion of a request that is wrong.
 *
 * @module
 */

/**
 * - `caller`: the request itself is wrong (400, 413, 422, content policy): no retry, message passes through.
 * - `operator`: key, account or model name are wrong beyond doubt: fall back, cool the route 60 s.
 * - `doubtful`: refused (401, 402, 403, 404 …) without a word that says whose fault it is: fall back; the
 *   route cools once another project meets the same.
 * - `oversized`: larger than this upstream takes now (tokens per minute, credit): fall back; says nothing of the route.
 * - `busy`: 429 or 503 with Retry-After: fall back, cool the route as long; never counts as breakage.
 * - `broken`: 5xx, connect or time limit, wrong content, cut: retry or fall back; counts for the breaker.
 * - `starved`: this process had no descriptor left for a connection: retry or fall back; says nothing of the route.
 * - `aborted`: we closed it ourselves (client gone, shutdown): no sample.
 */
export type AttemptFailure =
  | "caller"
  | "operator"
  | "doubtful"
  | "oversized"
  | "busy"
  | "broken"
  | "starved"
  | "aborted";

/**
 * What of the operator's an upstream refuses beyond doubt: nothing that a caller changes helps, and
 * every caller is refused alike.
 */
export type OperatorFault = "key" | "account" | "model" | "settings";

const WORDS: { readonly [fault in OperatorFault]: string } = {
  key: "its upstream does not take the gateway's key",
  account: "the gateway's account with its upstream is exhausted or closed",
  model: "its upstream does not know the model",
  settings: "the gateway cannot call its upstream as it is configured",
};

/** For callers, as the rest of "it fails: …": nothing internal is named. */
export function faultWords(fault: OperatorFault): string {
  return WORDS[fault];
}

/** Thrown by providers; never shown to callers as it is. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly failure: AttemptFailure;
  /** The upstream's status; `undefined` when there was no answer. */
  readonly status: number | undefined;
  /** The upstream's own error code, when it sent one as a string. */
  readonly code: string | undefined;
  /** The upstream's `error.param`, for `caller` failures. */
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Whether that is when a day's quota comes back: before, nobody is served. */
  readonly isSpent: boolean;
  /** Whether the request may have been read although no whole answer came. */
  readonly isUnanswered: boolean;
  /** Reference of the key that the request was sent with, for the log; set by who sent it. */
  key: string | undefined;
  /** What is wrong of the operator's; for `operator` failures. */
  readonly fault: OperatorFault | undefined;
  /** Whether nothing of the request had left when it failed, so that nobody can have worked for it. */
  readonly isUnsent: boolean;
  /** The upstream's own message, cleaned of its internals; it reaches callers where the request may be at fault. */
  readonly publicMessage: string | undefined;
  /** The body that it came in, for callers who know such bodies; of the dialect's family of that name. */
  readonly verbatim: { readonly family: string; readonly text: string } | undefined;

  constructor(failure: AttemptFailure, message: string, options: {
    status?: number | undefined;
    code?: string | undefined;
    param?: string | undefined;
    retryAfterSeconds?: number | undefined;
    isSpent?: boolean;
    publicMessage?: string | undefined;
    verbatim?: UpstreamError["verbatim"];
    fault?: OperatorFault | undefined;
    isUnsent?: boolean;
    isUnanswered?: boolean | undefined;
    cause?: unknown;
  } = {}) {
    super(
      message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.failure = failure;
    this.status = options.status;
    this.code = options.code;
    this.param = options.param;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isSpent = options.isSpent === true;
    this.publicMessage = options.publicMessage;
    this.verbatim = options.verbatim;
    this.isUnanswered = options.isUnanswered ?? false;
    this.fault = options.fault ?? (failure === "operator" ? "settings" : undefined);
    this.isUnsent = options.isUnsent === true;
  }
}

/** A failure in one line, for operators: the message with the cause's, where that says something more. */
export function failureWords({ message, cause }: UpstreamError): string {
  const isMore = cause instanceof Error && !message.includes(cause.message);
  // The runtime adds the system's number to its words.
  return isMore ? `${message}: ${cause.message.replace(/ \(os error \d+\)/, "")}` : message;
}
