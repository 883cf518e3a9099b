/**
 * The headers of a request that mean something to an endpoint.
 *
 * @module
 */

import { IncomingRequest } from "../../listener/incoming_request.ts";

/** Those of the headers that a request has. */
export function headersOf(
  request: Request,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = IncomingRequest.header(request, name);
    if (value !== null && value !== "") headers[name] = value;
  }
  return headers;
}
