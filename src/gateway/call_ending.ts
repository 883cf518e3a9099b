/**
 * How a call ends that is not served.
 *
 * @module
 */

import { UpstreamError } from "../domain/upstream_error.ts";
import { GatewayError } from "../errors.ts";

/** What its caller is told, and what its record says. */
export interface FailedEnding {
  readonly shown: unknown;
  /** Whether its caller has left. */
  readonly gone: boolean;
  readonly ending: { readonly status: number; readonly errorCode: GatewayError["code"] };
}

/** The refusal of a call that comes while the gateway stops. */
export function shuttingDown(): GatewayError {
  return new GatewayError(
    "shutting_down",
    "The gateway is stopping and takes no new calls: send the request again in a few seconds",
    { retryAfterSeconds: 5 },
  );
}

/** The ending that an error is. */
export function endingOf(error: unknown): FailedEnding {
  const gone = error instanceof UpstreamError;
  const shown = gone
    ? new GatewayError("client_closed_request", "The caller left before the answer", {
      cause: error,
    })
    : error;
  const isTold = shown instanceof GatewayError;
  const ending = {
    status: isTold ? shown.row.status : 500,
    errorCode: isTold ? shown.code : "internal_error" as const,
  };
  return { shown, gone, ending };
}
