/**
 * JSON answers, each with the request's id.
 *
 * @module
 */

import { type LeanContent, LeanResponse } from "../listener/lean_response.ts";

/** Makes a JSON answer. `extra` headers win over the standard ones. */
export function jsonResponse(
  body: unknown,
  requestId: string,
  status = 200,
  extra?: Readonly<Record<string, string>>,
): Response {
  return jsonTextResponse(JSON.stringify(body), requestId, { status, headers: extra });
}

/** What else is said of an answer. */
export interface JsonTextOptions {
  readonly status?: number | undefined;
  /** These win over the standard ones. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Makes an answer of what is JSON already. No cache may keep it: it tells of an account, or is an
 * error that may be over by the next request (a plain 404 would be kept).
 */
export function jsonTextResponse(
  text: LeanContent,
  requestId: string,
  { status = 200, headers }: JsonTextOptions = {},
): Response {
  return LeanResponse.make(text, {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...headers,
    },
  });
}
