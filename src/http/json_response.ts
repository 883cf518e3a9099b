/**
 * JSON answers, each with the request's id.
 *
 * @module
 */

import { LeanResponse } from "./listener/lean_response.ts";

/**
 * Makes a JSON answer. `extra` headers win over the standard ones. No cache may keep it: it tells
 * of an account, or is an error that may be over by the next request (a plain 404 would be kept).
 */
export function jsonResponse(
  body: unknown,
  requestId: string,
  status = 200,
  extra?: Readonly<Record<string, string>>,
): Response {
  return LeanResponse.make(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...extra,
    },
  });
}
