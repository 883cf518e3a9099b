/**
 * What a client gets of a handler that throws.
 *
 * @module
 */

const INTERNAL_ERROR = JSON.stringify({
  error: {
    message: "Internal error",
    type: "server_error",
    param: null,
    code: "internal_error",
  },
});

/** Says nothing of what was wrong. */
export function internalError(): Response {
  return new Response(INTERNAL_ERROR, {
    status: 500,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

/** What a handler answers; what it throws is told, and becomes such an answer. */
export async function handled(
  handle: () => Response | Promise<Response>,
  onError: (error: unknown) => void,
): Promise<Response> {
  try {
    const response = await handle();
    if (response instanceof Response) return response;
    throw new TypeError("Cannot answer a request as its handler returned no Response");
  } catch (error) {
    onError(error);
    return internalError();
  }
}
