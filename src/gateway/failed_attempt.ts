/**
 * What a failed attempt is to the caller: an error of its own, or the reason why
 * a route did not serve.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import { faultWords, UpstreamError } from "../domain/upstream_error.ts";
import { type ErrorName, GatewayError, type RouteRefusal } from "../errors.ts";

/** What an upstream says with these is about keys and accounts, which are no caller's business. */
const SPEAKS_OF_OPERATOR: ReadonlySet<number | undefined> = new Set([401, 402, 403]);

const REJECTIONS: ReadonlyMap<number | undefined, ErrorName> = new Map([
  // Only content policy: any other 403 is the operator's fault.
  [403, "upstream_rejected_403"],
  // Only of a model that the caller has named at the upstream itself.
  [404, "model_not_found"],
  [413, "upstream_rejected_413"],
  [422, "upstream_rejected_422"],
]);

/** A fault of the request as the upstream sees it: its own words, code and status. */
export function rejected(failure: UpstreamError): GatewayError {
  return new GatewayError(
    REJECTIONS.get(failure.status) ?? "upstream_rejected_400",
    failure.publicMessage ?? "The upstream rejected the request",
    {
      upstreamCode: failure.code,
      param: failure.param,
      verbatim: failure.verbatim,
      cause: failure,
    },
  );
}

/** Whose fault a failure is on a route where the caller names the upstream's model: a name is no operator's. */
export function blameCaller(
  { isWildcard, upstreamModel }: Route,
  failure: UpstreamError,
): UpstreamError {
  if (isWildcard !== true) return failure;
  const isUnknown = failure.fault === "model" ||
    (failure.failure === "doubtful" && failure.status === 404);
  if (!isUnknown) return failure;
  return new UpstreamError("caller", failure.message, {
    status: 404,
    code: "model_not_found",
    param: "model",
    publicMessage: (failure.fault === undefined ? failure.publicMessage : undefined) ??
      `The upstream does not know the model '${upstreamModel}'`,
    cause: failure,
  });
}

/** Why a route whose attempt failed does not serve: in words that name nothing internal. */
export function describeFailure(route: Route, error: UpstreamError): RouteRefusal {
  const { failure, status, fault, publicMessage } = error;
  const answered = status !== undefined
    ? `upstream answered ${status}`
    : failure === "broken" && error.isUnsent
    ? "its upstream cannot be reached"
    : "no usable answer";
  if (failure === "oversized") return leftOut(route, "request_too_large", answered);
  if (failure === "doubtful") {
    const isTold = publicMessage !== undefined && !SPEAKS_OF_OPERATOR.has(status);
    return leftOut(route, "attempt_refused", isTold ? `${answered}: ${publicMessage}` : answered);
  }
  const why = fault === undefined ? "" : `: ${faultWords(fault)}`;
  return leftOut(route, "attempt_failed", answered + why);
}

/** A route that does not serve, as `error.routes` lists it. */
export function leftOut(
  route: Route,
  reason: RouteRefusal["reason"],
  detail?: string,
): RouteRefusal {
  return {
    route: route.id,
    provider: route.providerId,
    reason,
    ...(detail === undefined ? {} : { detail }),
  };
}

/** Whether it is the request that was at fault: no other upstream would have served it either. */
export function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.row.type === "invalid_request_error";
}

/** Whether the answer had no room here: another upstream's would not have had it either. */
export function isStarved(error: unknown): boolean {
  return error instanceof GatewayError &&
    (error.error === "pool_limit_exceeded" || error.error === "storage_full");
}
