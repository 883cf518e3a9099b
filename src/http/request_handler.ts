/**
 * The one place where errors become answers and requests become log lines.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import type { RouterRoute } from "@hono/hono/types";
import { OPENAI } from "../dialects/openai/family.ts";
import { GatewayError } from "../errors.ts";
import { errorResponse } from "./answers/text_response.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import type {
  AppContext,
  AppEnv,
  BatchLineRequest,
  InsideRequest,
} from "./context/request_context.ts";
import type { ConnectionInfo } from "./listener/contract.ts";
import { IncomingRequest } from "./listener/incoming_request.ts";
import type { Family } from "../dialects/base/dialect.ts";
import { familyOfClient } from "./callers/family_of_client.ts";
import { type Endpoint, type Handler, pathsOf } from "./endpoints/shape/endpoint.ts";
import { type FrameDeps, RequestFrame } from "./request_frame.ts";

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
  deps: FrameDeps & Pick<ApiDeps, "onArrival">,
  families: Families,
): LineHandler {
  const frame = new RequestFrame(deps);
  refuseUnknownPaths(app, families);
  app.onError((error, { env }) => frame.refuse(error, env));
  const { onArrival } = deps;
  return async (request, { remoteAddress: peer, batchLine, inside = batchLine }) => {
    const forwardedFor = IncomingRequest.header(request, "x-forwarded-for");
    const env = frame.open(peer, forwardedFor, { batchLine, inside });
    onArrival?.(
      env.note,
      IncomingRequest.header(request, "traceparent"),
      IncomingRequest.header(request, "tracestate"),
    );
    const response = frame.complete(await app.fetch(request, env), env);
    batchLine?.onAnswer(env);
    frame.tellOthers(response, env, () => ({
      method: request.method,
      path: new URL(request.url).pathname,
    }));
    return response;
  };
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
