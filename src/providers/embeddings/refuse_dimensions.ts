/**
 * The refusal of `dimensions` that a model does not have.
 *
 * @module
 */

import { UpstreamError } from "../../domain/upstream_error.ts";

/** The caller's fault; `message` is for the caller. */
export function refuseDimensions(message: string): UpstreamError {
  return new UpstreamError("caller", message, {
    status: 400,
    code: "invalid_value",
    param: "dimensions",
    publicMessage: message,
  });
}
