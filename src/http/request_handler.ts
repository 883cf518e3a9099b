/**
 * The one place where errors become answers and requests become log lines.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import type { RouterRoute } from "@hono/hono/types";
import { OPENAI } from "../dialects/openai/family.ts";
import { GatewayError } from "../errors.ts";
import { errorResponse, toGatewayError } from "./answers/text_response.ts";
import { rateLimitHeaders } from "./callers/rate_limit_headers.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import type {
  AppContext,
  AppEnv,
  BatchLineRequest,
  InsideRequest,
  RequestBindings,
  RequestNote,
} from "./context/request_context.ts";
import type { ConnectionInfo } from "./listener/contract.ts";
import { IncomingRequest } from "./listener/incoming_request.ts";
import { LeanResponse } from "./listener/lean_response.ts";
import type { Family } from "../dialects/base/dialect.ts";
import { familyOfClient } from "./callers/family_of_client.ts";
import { type Endpoint, type Handler, pathsOf } from "./endpoints/shape/endpoint.ts";

const METHODS = ["GET", "POST", "DELETE"] as const;

/** Answers requests of connections, and those that are lines of batches. */
type LineHandler = (
  request: Request,
  info: ConnectionInfo & {
    readonly batchLine?: BatchLineRequest;
    readonly inside?: InsideRequest;
  },
) => Promise<Response>;

/** Gives each request its id and bindings, and tells the log about those that were no metered calls. */
export function createRequestHandler(
  app: Hono<AppEnv>,
  deps: Pick<ApiDeps, "ids" | "clock" | "limiter" | "onRequest" | "onArrival" | "clientAddress">,
  families: Families,
): LineHandler {
  const causes = new WeakMap<RequestBindings, unknown>();
  refuseUnknownPaths(app, families);
  app.onError((error, { env }) => {
    const shown = toGatewayError(error, env.identity.requestId);
    env.note.errorCode = shown.code;
    env.note.refusal = shown;
    if (shown.cause !== undefined) causes.set(env, shown.cause);
    return errorResponse(shown, env.identity.requestId, env.family);
  });
  const { clientAddress } = deps;
  return async (request, { remoteAddress: peer, batchLine, inside = batchLine }) => {
    const remoteAddress = clientAddress === undefined
      ? peer
      : clientAddress(peer, IncomingRequest.header(request, "x-forwarded-for"));
    const env: RequestBindings = {
      identity: deps.ids.next(),
      arrivedAt: deps.clock.monotonic(),
      remoteAddress,
      note: emptyNote(remoteAddress),
      family: OPENAI,
      limited: undefined,
      batchLine,
      inside,
    };
    deps.onArrival?.(
      env.note,
      IncomingRequest.header(request, "traceparent"),
      IncomingRequest.header(request, "tracestate"),
    );
    const response = withRateLimits(withOwnId(await app.fetch(request, env), env), env, deps);
    batchLine?.onAnswer(env);
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

/** Of a request of which nothing is known yet. */
export function emptyNote(address?: string): RequestNote {
  return {
    isCall: false,
    address,
    projectId: undefined,
    keyId: undefined,
    model: undefined,
    errorCode: undefined,
  };
}

/** The answer with its id as callers of its family know it, where that is not as everybody does. */
export function withOwnId(
  response: Response,
  { family: { idHeader }, identity: { requestId } }: RequestBindings,
): Response {
  return idHeader === undefined
    ? response
    : LeanResponse.withHeaders(response, { [idHeader]: requestId });
}

/** The answer with what the caller's limits leave; the answer itself where it has none. */
export function withRateLimits(
  response: Response,
  { limited: caller, family }: RequestBindings,
  { limiter, clock }: Pick<ApiDeps, "limiter" | "clock">,
): Response {
  if (caller === undefined) return response;
  const headers = rateLimitHeaders(limiter, { caller, family, now: clock.now() });
  return LeanResponse.withHeaders(response, headers);
}

/** Answers for paths and methods that `app` does not have. */
export function refuseUnknownPaths(app: Hono<AppEnv>, families: Families = new Map()): void {
  app.notFound((context) => refuseUnknown(app, families, context));
}

/** 405 with `Allow` where the path exists for another method, 404 otherwise. */
function refuseUnknown(
  app: Hono<AppEnv>,
  families: Families,
  { req, env }: AppContext,
): Response {
  const serving: Serving = (method, path) =>
    app.router.match(method, path)[0].find(([[, route]]) => route.method === method)?.[0][1];
  const served = METHODS.flatMap((method) => serving(method, req.path) ?? []);
  const allowed = served.flatMap(({ method }) => method === "GET" ? ["GET", "HEAD"] : [method]);
  env.family = families.get(served[0]?.path ?? "") ?? familyOfClient(req.raw) ?? env.family;
  const error = allowed.length > 0
    ? new GatewayError(
      "method_not_allowed",
      `${req.method} is not allowed on ${req.path.slice(0, 200)}: use ${allowed.join(" or ")}`,
      { allow: allowed.join(", ") },
    )
    : new GatewayError(
      "not_found",
      `There is nothing at ${req.method} ${req.path.slice(0, 200)}: ${nextStep(req, serving)}`,
    );
  env.note.errorCode = error.code;
  return errorResponse(error, env.identity.requestId, env.family);
}

type Serving = (method: string, path: string) => RouterRoute | undefined;

/** What whoever asked for a path that is not there does next. */
function nextStep({ method, path }: AppContext["req"], serving: Serving): string {
  if (serving(method, `/v1${path}`)) return "the base URL of a client ends in /v1";
  const isAdmin = path.startsWith("/admin/v1/") && serving("GET", "/admin/v1/openapi.json");
  return isAdmin
    ? "GET /admin/v1/openapi.json lists every path; a '/' in an id is written %2F"
    : "GET /openapi.json lists every path";
}

/** Whose errors are answered at a path, by its pattern; OpenAI's where none is named. */
export type Families = ReadonlyMap<string, Family>;

/** Makes the handler of each, and adds it under all of its paths. */
export function mountEndpoints<Deps = ApiDeps>(
  app: Hono<AppEnv>,
  endpoints: readonly Endpoint<Deps>[],
  deps: Deps,
): Families {
  const families = new Map<string, Family>();
  for (const endpoint of endpoints) {
    const { method, family } = endpoint;
    const handler = inFamily(endpoint.handler(deps), endpoint);
    for (const pattern of pathsOf(endpoint).map(asPattern)) {
      app.on(method, pattern, handler);
      if (family !== undefined) families.set(pattern, family);
    }
  }
  return families;
}

/** Every request begins in OpenAI's. */
function inFamily(
  handler: Handler,
  { family = OPENAI, familyOf }: Pick<Endpoint, "family" | "familyOf">,
): Handler {
  if (familyOf === undefined && family === OPENAI) return handler;
  return (context) => {
    context.env.family = familyOf?.(context.req.raw) ?? family;
    return handler(context);
  };
}

/** As Hono writes parameters: `:id`, and `:id{.+}` where it may have slashes. */
function asPattern(path: string): string {
  return path.replaceAll(
    /\{(\+?)(\w+)\}/g,
    (_, plus, name) => plus === "" ? `:${name}` : `:${name}{.+}`,
  );
}
