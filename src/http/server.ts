/**
 * The HTTP surface: what each listener serves.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import { OPENAI } from "../dialects/openai/family.ts";
import { GatewayError } from "../errors.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import { ENDPOINTS, PROBES } from "./endpoints.ts";
import { errorResponse } from "./answers/error_response.ts";
import type { RefusalWriter, RequestHandler } from "./listener.ts";
import { LiteralRouter } from "./literal_router.ts";
import { createRequestHandler, emptyNote, mountEndpoints } from "./request_handler.ts";
import { requireAdminKey } from "./callers/require_admin_key.ts";
import type { AppEnv } from "./context/request_context.ts";

/** Makes the handler of the public listener. `admin` is mounted when an admin key is set. */
export function createPublicHandler(deps: ApiDeps, admin: Hono<AppEnv>): RequestHandler {
  const app = new Hono<AppEnv>({ router: new LiteralRouter() });
  const families = mountEndpoints(app, ENDPOINTS, deps);
  if (deps.adminKey !== undefined) {
    app.use("/admin/v1/*", requireAdminKey(deps.adminKey));
    app.route("/admin/v1", admin);
  }
  return createRequestHandler(app, deps, families);
}

/** Makes the handler of the control socket: administration without a key, for whoever may open the socket. */
export function createControlHandler(deps: ApiDeps, admin: Hono<AppEnv>): RequestHandler {
  const app = new Hono<AppEnv>();
  const families = mountEndpoints(app, PROBES, deps);
  app.route("/admin/v1", admin);
  return createRequestHandler(app, deps, families);
}

/** The errors of heads that are no proper HTTP, by the status that the listener found. */
const HEAD_ERRORS = {
  400: "malformed_request",
  431: "request_head_too_large",
  505: "http_version_not_supported",
} as const;

/** Makes the answers to what is no proper HTTP and reaches no handler: like every other error. */
export function createRefusals({ ids, onRequest }: ApiDeps): RefusalWriter {
  return ({ status, message }) => {
    const { requestId } = ids.next();
    const error = new GatewayError(HEAD_ERRORS[status], message);
    onRequest({
      requestId,
      method: "-",
      path: "-",
      status,
      milliseconds: 0,
      address: undefined,
      note: { ...emptyNote(), errorCode: error.code },
      cause: undefined,
    });
    return errorResponse(error, requestId, OPENAI);
  };
}
