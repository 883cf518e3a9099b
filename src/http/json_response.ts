/**
 * JSON answers, each with the request's id.
 *
 * @module
 */

/** Makes a JSON answer. `extra` headers win over the standard ones. */
export function jsonResponse(
  body: unknown,
  requestId: string,
  status = 200,
  extra?: Readonly<Record<string, string>>,
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "x-request-id": requestId, ...extra },
  });
}
