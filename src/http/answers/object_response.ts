/**
 * Answers GET and HEAD with what is in a bucket: with its bytes as they come from there, or with an
 * address of it.
 *
 * @module
 */

import type { StoredObject } from "../../objects/read_back.ts";
import { FileMissingError } from "./file_response.ts";
import { answerStored, type StoredContent } from "./stored_answer.ts";

/** What is sent, and how. */
export interface SentObject extends StoredContent {
  readonly object: StoredObject;
  /** Whether whoever asks may be sent on to the bucket. */
  readonly mayRedirect: boolean;
}

/**
 * Makes the answer: 200, 206, 304, or 302 where callers are sent on. The object exists when the
 * answer is given.
 *
 * @throws {FileMissingError} when the object is gone
 * @throws {GatewayError} `precondition_failed`, `range_not_satisfiable` or `films_away`
 */
export async function objectResponse(
  request: Request,
  { object, mayRedirect, ...content }: SentObject,
  requestId: string,
): Promise<Response> {
  const { status, headers, span } = answerStored(request, content, requestId);
  if (span === undefined) {
    // Conditions count only for what is there (RFC 9110, section 13.2.1).
    if (await object.bytes() === undefined) throw new FileMissingError(object.address);
    return new Response(null, { status, headers });
  }
  if (mayRedirect && object.linkTo !== undefined) {
    const location = await object.linkTo({
      "content-type": content.contentType,
      ...pick(content.headers, "content-disposition"),
    });
    return new Response(null, {
      status: 302,
      headers: { location, "cache-control": "no-store", "x-request-id": requestId },
    });
  }
  const body = await object.open(status === 206 ? span : undefined);
  if (body === undefined) throw new FileMissingError(object.address);
  return new Response(body, {
    status,
    headers: { ...headers, "content-length": String(span.length) },
  });
}

function pick(
  headers: Readonly<Record<string, string>> = {},
  name: string,
): Readonly<Record<string, string>> {
  const value = headers[name];
  return value === undefined ? {} : { [name]: value };
}
