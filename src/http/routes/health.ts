/**
 * `/healthz`: the process answers. `/readyz`: it takes calls, or why not. Neither
 * calls an upstream.
 *
 * @module
 */

import type { ApiDeps } from "../context/api_deps.ts";
import { jsonResponse } from "../answers/json_response.ts";
import type { AppContext } from "../context/request_context.ts";

/** Liveness: 200 as long as the event loop turns. */
export function healthz({ env }: AppContext): Response {
  return jsonResponse({ status: "ok" }, env.identity.requestId);
}

/** Makes the readiness handler: 200, or 503 with reasons; warnings either way. */
export function readyz(deps: ApiDeps): (context: AppContext) => Response {
  return ({ env }) => {
    const { ready, reasons, warnings } = deps.readiness();
    return jsonResponse(
      { status: ready ? "ready" : "not_ready", reasons, warnings },
      env.identity.requestId,
      ready ? 200 : 503,
    );
  };
}
