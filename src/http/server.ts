/**
 * The HTTP surface: every path, and one place where errors become answers and
 * requests become log lines.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import { GatewayError } from "../errors.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import { ENDPOINTS, PROBES } from "./endpoints.ts";
import { errorResponse, toGatewayError } from "./answers/error_response.ts";
import { LeanResponse } from "./listener/lean_response.ts";
import type { RefusalWriter, RequestHandler } from "./listener.ts";
import { LiteralRouter } from "./literal_router.ts";
import { mountEndpoints } from "./mount_endpoints.ts";
import { requireAdminKey } from "./callers/require_admin_key.ts";
import { rateLimitHeaders } from "./callers/rate_limit_headers.ts";
import type { AppContext, AppEnv, RequestBindings } from "./context/request_context.ts";

const METHODS = ["GET", "POST", "DELETE"] as const;

/** Makes the handler of the public listener. `admin` is mounted when an admin key is set. */
export function createPublicHandler(deps: ApiDeps, admin: Hono<AppEnv>): RequestHandler {
  const app = new Hono<AppEnv>({ router: new LiteralRouter() });
  mountEndpoints(app, ENDPOINTS, deps);
  if (deps.adminKey !== undefined) {
    app.use("/admin/v1/*", requireAdminKey(deps.adminKey));
    app.route("/admin/v1", admin);
  }
  return asHandler(app, deps);
}

/** Makes the handler of the control socket: administration without a key, for whoever may open the socket. */
export function createControlHandler(deps: ApiDeps, admin: Hono<AppEnv>): RequestHandler {
  const app = new Hono<AppEnv>();
  mountEndpoints(app, PROBES, deps);
  app.route("/admin/v1", admin);
  return asHandler(app, deps);
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
      note: {
        isCall: false,
        projectId: undefined,
        keyId: undefined,
        model: undefined,
        errorCode: error.code,
      },
      cause: undefined,
    });
    return errorResponse(error, requestId);
  };
}

/** Gives each request its id and bindings, and tells the log about those that were no metered calls. */
function asHandler(app: Hono<AppEnv>, deps: ApiDeps): RequestHandler {
  const causes = new WeakMap<RequestBindings, unknown>();
  app.notFound((context) => refuseUnknown(app, context));
  app.onError((error, { env }) => {
    const shown = toGatewayError(error, env.identity.requestId);
    env.note.errorCode = shown.code;
    if (shown.cause !== undefined) causes.set(env, shown.cause);
    return errorResponse(shown, env.identity.requestId);
  });
  return async (request, { remoteAddress }) => {
    const env: RequestBindings = {
      identity: deps.ids.next(),
      arrivedAt: deps.clock.monotonic(),
      remoteAddress,
      note: {
        isCall: false,
        projectId: undefined,
        keyId: undefined,
        model: undefined,
        errorCode: undefined,
      },
      limited: undefined,
    };
    const response = withRateLimits(await app.fetch(request, env), env, deps);
    if (!env.note.isCall || response.status === 500) {
      const { identity: { requestId }, arrivedAt, note } = env;
      deps.onRequest({
        requestId,
        method: request.method,
        path: new URL(request.url).pathname,
        status: response.status,
        milliseconds: Math.round(deps.clock.monotonic() - arrivedAt),
        address: remoteAddress,
        note,
        cause: causes.get(env),
      });
    }
    return response;
  };
}

/** The answer with what the caller's limits leave; the answer itself where it has none. */
function withRateLimits(
  response: Response,
  { limited }: RequestBindings,
  { limiter }: Pick<ApiDeps, "limiter">,
): Response {
  if (limited === undefined) return response;
  return LeanResponse.withHeaders(response, rateLimitHeaders(limiter, limited));
}

/** 405 with `Allow` where the path exists for another method, 404 otherwise. */
function refuseUnknown(app: Hono<AppEnv>, { req, env }: AppContext): Response {
  const serves = (method: string, path: string): boolean =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method);
  const allowed = METHODS.filter((method) => serves(method, req.path)).flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method]
  );
  const error = allowed.length > 0
    ? new GatewayError(
      "method_not_allowed",
      `${req.method} is not allowed on ${req.path.slice(0, 200)}: use ${allowed.join(" or ")}`,
      { allow: allowed.join(", ") },
    )
    : new GatewayError(
      "not_found",
      `There is nothing at ${req.method} ${req.path.slice(0, 200)}: ${
        serves(req.method, `/v1${req.path}`)
          ? "the base URL of a client ends in /v1"
          : "GET /openapi.json lists every path"
      }`,
    );
  env.note.errorCode = error.code;
  return errorResponse(error, env.identity.requestId);
}
