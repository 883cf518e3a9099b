/**
 * Refusals of requests that cannot be converted, in words for the caller.
 *
 * @module
 */

import { UpstreamError } from "../../domain/upstream_error.ts";

/** A field that is missing or wrong, whatever the upstream. */
export function invalidField(param: string, message: string): UpstreamError {
  return callerError(message, { param, code: "invalid_value" });
}

/**
 * Something that chat completions cannot do, by its name in the request:
 * refused, because to leave it out would change what was asked for.
 *
 * @param what Such as `the tool 'web_search'`.
 */
export function notInChat(param: string, what: string): UpstreamError {
  return callerError(
    `Cannot use ${what}: the upstream of this model offers chat completions only, which have nothing like it. Send the request without it, or to a model with a route that has the Responses API ('supports: { responses: true }' in the catalogue)`,
    { param, code: "not_supported" },
  );
}

function callerError(
  publicMessage: string,
  { param, code }: { readonly param: string; readonly code: string },
): UpstreamError {
  return new UpstreamError("caller", `The request cannot be converted to chat: '${param}'`, {
    status: 400,
    code,
    param,
    publicMessage,
  });
}
