/**
 * Guards `/admin/v1` over TCP with the operator's admin key.
 *
 * @module
 */

import type { MiddlewareHandler } from "@hono/hono";
import type { AppEnv } from "../context/request_context.ts";
import { requireBearer } from "./require_bearer.ts";

/** Makes the guard. */
export function requireAdminKey(adminKey: string): MiddlewareHandler<AppEnv> {
  const check = requireBearer(
    [adminKey],
    "This path needs the gateway's admin key: send 'Authorization: Bearer <admin key>'",
  );
  return async function requireAdminKey({ req }, next) {
    check(req.header("authorization"));
    await next();
  };
}
