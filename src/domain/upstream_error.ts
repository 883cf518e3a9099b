/**
 * How a provider says that a request to its upstream failed, and a conversion that a request is wrong.
 *
 * @module
 */

import type { AttemptFailure } from "./attempt_failure.ts";
import type { OperatorFault } from "./operator_fault.ts";

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

  constructor(failure: AttemptFailure, message: string, options: {
    status?: number | undefined;
    code?: string | undefined;
    param?: string | undefined;
    retryAfterSeconds?: number | undefined;
    publicMessage?: string | undefined;
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
    this.publicMessage = options.publicMessage;
    this.isUnanswered = options.isUnanswered ?? false;
    this.fault = options.fault ?? (failure === "operator" ? "settings" : undefined);
    this.isUnsent = options.isUnsent === true;
  }
}

/** A failure in one line, for operators: the message with the cause's, where that says something more. */
export function failureWords({ message, cause }: UpstreamError): string {
  const isMore = cause instanceof Error && !message.includes(cause.message);
  return isMore ? `${message}: ${cause.message}` : message;
}
