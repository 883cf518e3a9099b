/**
 * JSON answers, each with the request's id.
 *
 * @module
 */

import { LeanResponse } from "./listener/lean_response.ts";

/** Makes a JSON answer. `extra` headers win over the standard ones. */
export function jsonResponse(
  body: unknown,
  requestId: string,
  status = 200,
  extra?: Readonly<Record<string, string>>,
): Response {
  return LeanResponse.make(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "x-request-id": requestId, ...extra },
  });
}
