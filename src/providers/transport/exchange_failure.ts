/**
 * What an exchange that came to nothing says of it.
 *
 * @module
 */

import { isOutOfDescriptors } from "../../domain/out_of_descriptors.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { MalformedChunk } from "./chunked_decoder.ts";
import { RefusedAddress } from "./connect_public.ts";
import { ADDRESS_REFUSED } from "./contract.ts";
import { MalformedHead } from "./response_head.ts";

/** All that the permissions of the program keep it from; what the runtime says of it helps nobody. */
const LINK_LOCAL =
  "was not called: its host is a link-local address (169.254.0.0/16), where clouds keep the keys " +
  "of their machines: give it another address";

/** How it failed. */
export interface FailedExchange {
  /** Completes "the upstream …". */
  readonly what: string;
  readonly cause: unknown;
  /** Whether it is the operator's settings that are at fault, as the cause says; absent: it is not. */
  readonly operator?: boolean;
  /** Whom it speaks of. */
  readonly peer: string;
  readonly isAborted: boolean;
  /** Whether anything of the request may have left. */
  readonly isBegun: boolean;
  /** What was not done in time; `undefined` where all was. */
  readonly late: string | undefined;
}

/** The error that a failed exchange is. */
export function exchangeFailure(
  { what, cause, operator, peer, isAborted, isBegun, late }: FailedExchange,
): UpstreamError {
  const isUnsent = !isBegun;
  if (isAborted) return new UpstreamError("aborted", "The call was aborted", { isUnsent });
  const how = { isUnanswered: isBegun, isUnsent };
  if (late !== undefined) return new UpstreamError("broken", `${peer} did not ${late}`, how);
  if (cause instanceof RefusedAddress) {
    return new UpstreamError("caller", `The request was not sent: ${cause.message}`, {
      code: ADDRESS_REFUSED,
    });
  }
  if (cause instanceof Deno.errors.NotCapable) {
    return new UpstreamError("operator", `${peer} ${LINK_LOCAL}`);
  }
  if (isOutOfDescriptors(cause)) {
    return new UpstreamError("starved", "This process has no file descriptor left to call it", {
      cause,
    });
  }
  const isMalformed = cause instanceof MalformedHead || cause instanceof MalformedChunk;
  const why = isMalformed || operator === true ? `: ${(cause as Error).message}` : "";
  return new UpstreamError(
    operator === true ? "operator" : "broken",
    `${peer} ${what}${why}`,
    { cause, ...how },
  );
}
