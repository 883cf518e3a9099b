/**
 * Refusals of images, in words for the caller.
 *
 * @module
 */

import { UpstreamError } from "../../../domain/upstream_error.ts";

/** A field that asks for what there is not. */
export function refuseImage(param: string, message: string): UpstreamError {
  return callerError(message, { param, code: "invalid_value" });
}

/** What the vendor's filters keep back: OpenAI's clients know it by this code. */
export function filtered(reason: string): UpstreamError {
  const message = `The image was kept back by the upstream's filters (${reason})`;
  return callerError(message, { param: "prompt", code: "moderation_blocked" });
}

function callerError(
  publicMessage: string,
  { param, code }: { readonly param: string; readonly code: string },
): UpstreamError {
  const message = `The upstream makes no such image: '${code}'`;
  return new UpstreamError("caller", message, { status: 400, code, param, publicMessage });
}
