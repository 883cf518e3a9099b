/**
 * Guards `/admin/v1` over TCP with what administers: the admin key, and tokens of administration.
 *
 * @module
 */

import type { MiddlewareHandler } from "@hono/hono";
import type { AdminAccess, Admitted } from "../../admin/base/access.ts";
import { GatewayError } from "../../errors.ts";
import type { CurrentConfiguration } from "../context/api_deps.ts";
import type { AppContext, AppEnv, RequestBindings } from "../context/request_context.ts";
import { bearerOf } from "./require_bearer.ts";

const ADVICE = "This path needs the gateway's admin key or a token of administration: send " +
  "'Authorization: Bearer <key or token>'";

/** Whom the guard has let in, by their requests. */
const LET_IN = new WeakMap<RequestBindings, Admitted>();

/** Makes the guard: while nothing opens, there is nothing behind it. */
export function requireAdmin(
  access: AdminAccess,
  configuration?: CurrentConfiguration,
): MiddlewareHandler<AppEnv> {
  return async function requireAdmin(context, next) {
    if (configuration?.isCurrent === false) await configuration.whenCurrent();
    const { env, req } = context;
    if (!access.isOpen) throw nothingAt(req);
    const presented = bearerOf(req.header("authorization"));
    if (presented === undefined) throw new GatewayError("project_key_invalid", ADVICE);
    const admission = access.admit(presented);
    if (admission.kind === "refused") {
      const { because, token } = admission;
      const message = token === undefined ? ADVICE : because;
      throw new GatewayError("project_key_invalid", message);
    }
    LET_IN.set(env, admission);
    return await next();
  };
}

/** As every path that is not there. */
function nothingAt({ method, path }: AppContext["req"]): GatewayError {
  const place = `${method} ${path.slice(0, 200)}`;
  return new GatewayError(
    "not_found",
    `There is nothing at ${place}: GET /openapi.json lists every path`,
  );
}

/** Whoever sends a request that has passed {@linkcode requireAdmin}. */
export function letIn(env: RequestBindings): Admitted {
  const admitted = LET_IN.get(env);
  if (admitted === undefined) throw new TypeError("A request has not passed the guard");
  return admitted;
}
